import { GCS_FUSE_DRIVER } from '../facts/gcs-fuse';
import { type Problems } from '../problems/problems';
import {
  absolutePath,
  bare,
  holdsToken,
  labelKey,
  labelValue,
  podLabel,
  port,
  portName,
  quantity,
  quantityOf,
  quoted,
  text,
} from '../problems/validators';

/** The resource name of a TPU chip. */
export const TPU = 'google.com/tpu';

type Texts = Readonly<Record<string, unknown>>;

/** A container as it stands in a manifest. */
interface Container {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly unknown[];
  readonly args?: readonly unknown[];
  readonly env?: readonly { readonly name: string; readonly value?: unknown }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly ports?: readonly {
    readonly name?: string;
    readonly containerPort: number;
    readonly protocol?: string;
  }[];
  readonly resources?: Partial<Record<'requests' | 'limits', Readonly<Record<string, string>>>>;
  readonly startupProbe?: object;
  readonly readinessProbe?: object;
  readonly livenessProbe?: object;
  readonly lifecycle?: { readonly postStart?: object; readonly preStop?: object };
}

interface Volume {
  readonly name: string;
  readonly csi?: { readonly driver: string; readonly volumeAttributes?: Texts };
}

/** Records what Kubernetes would refuse of a pod, or take and never run. */
export function checkTemplate(
  template: {
    readonly metadata: { readonly labels?: Texts; readonly annotations?: Texts };
    readonly spec: Readonly<Record<string, unknown>>;
  },
  problems: Problems,
): void {
  const { labels, annotations } = template.metadata;
  const { nodeSelector, subdomain, hostname, hostNetwork, containers, initContainers, volumes } =
    template.spec as {
      readonly nodeSelector?: Texts;
      readonly subdomain?: string;
      readonly hostname?: string;
      readonly hostNetwork?: boolean;
      readonly containers: readonly Container[];
      readonly initContainers?: readonly Container[];
      readonly volumes?: readonly Volume[];
    };
  checkTexts('label', labels, labelValue, problems);
  checkTexts('annotation', annotations, text, problems);
  checkTexts('nodeSelector', nodeSelector, labelValue, problems);
  if (subdomain !== undefined) problems.add(podLabel('pod subdomain', subdomain));
  if (hostname !== undefined) problems.add(podLabel('pod hostname', hostname));
  checkVolumes(volumes ?? [], hostNetwork === true, problems);

  const all = [...containers, ...(initContainers ?? [])];
  for (const twice of repeated(all.map(({ name }) => name)))
    problems.add(`container '${twice}' is there twice, expected different names`);
  for (const container of all) checkContainer(container, volumes ?? [], problems);

  const withChips = containers.filter(({ resources }) => resources?.limits?.[TPU] !== undefined);
  problems.check(
    withChips.length <= 1,
    () =>
      `containers ${withChips.map(({ name }) => `'${name}'`).join(' and ')} request ${TPU}, expected one: the chips of a host belong to one process`,
  );
  const ports = containers.flatMap((container) =>
    (container.ports ?? []).map(
      ({ containerPort, protocol = 'TCP' }) => `${String(containerPort)}/${protocol}`,
    ),
  );
  for (const twice of repeated(ports))
    problems.add(
      `containerPort '${twice}' is there twice, expected one: all containers of a pod share its ports`,
    );
}

function checkTexts(
  what: string,
  texts: Texts = {},
  rule: (prop: string, value: unknown) => string | undefined,
  problems: Problems,
): void {
  for (const [key, value] of Object.entries(texts))
    problems.add(labelKey(what, key), rule(`${what} ${key}`, value));
}

function checkVolumes(volumes: readonly Volume[], hostNetwork: boolean, problems: Problems): void {
  for (const { name, csi } of volumes) {
    problems.add(podLabel('volume name', name));
    // https://github.com/GoogleCloudPlatform/gcs-fuse-csi-driver/pull/865
    problems.check(
      !hostNetwork ||
        csi?.driver !== GCS_FUSE_DRIVER ||
        csi.volumeAttributes?.['hostNetworkPodKSA'] === 'true',
      () =>
        `volume '${name}' is a bucket in a pod with hostNetwork, where Cloud Storage FUSE has no identity, expected no hostNetwork, or a volume of one's own with hostNetworkPodKSA 'true' among its volumeAttributes`,
    );
  }
  for (const twice of repeated(volumes.map(({ name }) => name)))
    problems.add(`volume '${twice}' is there twice, expected different names`);
}

function checkContainer(container: Container, volumes: readonly Volume[], problems: Problems): void {
  const { name, image, env = [], volumeMounts = [], ports = [], resources = {}, lifecycle } = container;
  const at = `container '${name}'`;
  problems.add(podLabel('container name', name));
  problems.check(
    image !== undefined && image !== '',
    `${at} has no image, expected one with a tag or digest`,
  );
  problems.add(...repeated(env.map((one) => one.name)).map((one) => `${at} sets env '${one}' twice`));
  for (const variable of env) checkVariable(at, variable, problems);
  problems.check(
    ![...(container.command ?? []), ...(container.args ?? [])].some((arg) => holdsToken(String(arg))),
    `${at} args hold a Hugging Face token, expected huggingFaceToken: HuggingFaceToken.fromSecret(…), which names a Secret`,
  );
  const folders = volumeMounts.map(({ mountPath }) => bare(mountPath));
  problems.add(...repeated(folders).map((one) => `${at} mounts '${one}' twice`));
  for (const mount of volumeMounts) {
    problems.add(absolutePath(`${at} mountPath`, mount.mountPath));
    problems.check(
      volumes.some((volume) => volume.name === mount.name),
      () =>
        `${at} mounts volume '${mount.name}', which the pod does not have, expected one of ${volumes.map((v) => `'${v.name}'`).join(', ') || 'its volumes, of which there is none'}`,
    );
  }
  checkResources(at, resources, problems);
  for (const one of ports) {
    problems.add(
      port(`${at} containerPort`, one.containerPort),
      one.name === undefined ? undefined : portName(`${at} port name`, one.name),
    );
  }
  for (const twice of repeated(ports.flatMap((one) => (one.name === undefined ? [] : [one.name]))))
    problems.add(`${at} has port name '${twice}' twice, expected different names`);
  const { startupProbe, readinessProbe, livenessProbe } = container;
  const handlers = { startupProbe, readinessProbe, livenessProbe, ...lifecycle };
  for (const [field, handler] of Object.entries(handlers)) checkHandler(`${at} ${field}`, handler, problems);
}

/** Kubernetes' rule; a token belongs into a Secret, whatever the variable. */
function checkVariable(
  at: string,
  { name, value }: { readonly name: string; readonly value?: unknown },
  problems: Problems,
): void {
  problems.check(
    /^[-._A-Za-z][-._A-Za-z0-9]*$/.test(name),
    () =>
      `${at} env ${quoted(name)} is not a variable name, expected letters, digits, '_', '-' and '.', first no digit`,
  );
  if (value === undefined) return;
  const wrong = text(`${at} env ${quoted(name)} value`, value);
  problems.add(wrong);
  problems.check(
    wrong !== undefined || !holdsToken(value as string),
    () =>
      `${at} env ${quoted(name)} holds a Hugging Face token, expected huggingFaceToken: HuggingFaceToken.fromSecret(…), which names a Secret`,
  );
}

function checkResources(
  at: string,
  { requests = {}, limits = {} }: Required<Container>['resources'],
  problems: Problems,
): void {
  for (const resource of new Set([...Object.keys(requests), ...Object.keys(limits)])) {
    const [request, limit] = [requests[resource], limits[resource]];
    const wrong = Object.entries({ requests: request, limits: limit }).flatMap(([kind, amount]) =>
      amount === undefined ? [] : [quantity(`${at} ${kind} ${resource}`, amount)],
    );
    problems.add(...wrong);
    if (wrong.some((sentence) => sentence !== undefined)) continue;
    const said = (): string =>
      `${at} requests ${quoted(request ?? 'none')} ${resource} with limit ${quoted(limit ?? 'none')}, expected`;
    const [requested, limited] = [request, limit].map((amount) => quantityOf(amount ?? ''));
    if (resource === TPU)
      problems.check(
        requested === limited && Number.isInteger(limited),
        () => `${said()} both equal to the chips of its host`,
      );
    // Kubernetes divides no extended resource; a limit without a request is both
    else if (resource.includes('/') && request !== undefined)
      problems.check(
        requested === limited && Number.isInteger(limited),
        () => `${said()} both equal and whole; nearest: '${String(Math.ceil(requested ?? NaN) || 1)}'`,
      );
    else
      problems.check(
        !((requested ?? NaN) > (limited ?? NaN)),
        () => `${said()} at most the limit; nearest: '${limit ?? ''}'`,
      );
  }
}

const HANDLERS = ['exec', 'grpc', 'httpGet', 'sleep', 'tcpSocket'];

/** A probe or hook asks in one way. */
function checkHandler(at: string, handler: object | undefined, problems: Problems): void {
  if (handler === undefined) return;
  const found = Object.keys(handler).filter((key) => HANDLERS.includes(key));
  problems.check(
    found.length === 1,
    () =>
      `${at} has ${found.join(' and ') || 'nothing to ask'}, expected one of exec, grpc, httpGet and tcpSocket`,
  );
}

const repeated = (names: readonly string[]): readonly string[] => [
  ...new Set(names.filter((name, index) => names.indexOf(name) !== index)),
];
