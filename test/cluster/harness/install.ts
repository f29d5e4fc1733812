import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { type Api, isSuccess, type KubernetesObject, messageOf } from './api';
import { kubectl } from './kubectl';
import { eventually } from './wait';

// What is installed into the cluster: CRDs, RBAC and webhook configurations, as the upstream modules hold them.

/** Whether a document is needed, by its text: CRDs are large, and the others are not parsed. */
type Wanted = (document: string) => boolean;

/** The objects in a YAML text. */
export const documentsIn = (text: string, wanted: Wanted = () => true): readonly KubernetesObject[] =>
  text
    .split(/^---$/m)
    .filter(wanted)
    .flatMap((document) => {
      const value: unknown = parse(document, { uniqueKeys: false });
      return typeof value === 'object' && value !== null && 'kind' in value
        ? [value as KubernetesObject]
        : [];
    });

/** The objects in the YAML files of a folder. */
const documentsOf = (folder: string, wanted?: Wanted): readonly KubernetesObject[] =>
  readdirSync(folder)
    .filter((file) => /\.ya?ml$/.test(file))
    .sort()
    .flatMap((file) => documentsIn(readFileSync(path.join(folder, file), 'utf8'), wanted));

/** The CRDs of a folder whose kinds are wanted. */
export const crdsOf = (
  folder: string,
  wanted: (kind: string, group: string) => boolean,
): readonly KubernetesObject[] =>
  documentsOf(folder, (text) => {
    if (!/^kind: CustomResourceDefinition$/m.test(text)) return false;
    const [, kind = ''] = /^ {4}kind: (\S+)$/m.exec(text) ?? [];
    const [, group = ''] = /^ {2}group: (\S+)$/m.exec(text) ?? [];
    return wanted(kind, group);
  });

/** Everything that a kustomization renders. */
export async function kustomize(program: string, folder: string): Promise<readonly KubernetesObject[]> {
  const { status, stdout, stderr } = await kubectl(program, '', ['kustomize', folder]);
  if (status !== 0) throw new Error(`kubectl kustomize ${folder}: ${stderr}`);
  return documentsIn(stdout);
}

const WEBHOOKS = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

export const isWebhook = ({ kind }: KubernetesObject): boolean => WEBHOOKS.includes(kind);

/** Objects that a controller needs in the cluster if it runs as a local process: all except those that would run it in the cluster. */
export const isInstalled = ({ kind }: KubernetesObject): boolean =>
  [
    'ClusterRole',
    'ClusterRoleBinding',
    'CustomResourceDefinition',
    'Namespace',
    'Role',
    'RoleBinding',
    'Secret',
    'ServiceAccount',
  ].includes(kind);

/** Where a controller's webhooks listen. */
export interface WebhookServer {
  readonly port: number;
  readonly certificate: string;
}

interface ClientConfig {
  service?: { path?: string };
  url?: string;
  caBundle?: string;
}

/** Points the webhooks of an object at a local port. */
export function onLoopback(object: KubernetesObject, { port, certificate }: WebhookServer): KubernetesObject {
  const redirected = structuredClone(object);
  const configs: ClientConfig[] = [
    ...((redirected['webhooks'] ?? []) as { clientConfig: ClientConfig }[]).map((one) => one.clientConfig),
    ...[redirected['spec']?.conversion?.webhook?.clientConfig as ClientConfig | undefined].flatMap((one) =>
      one ? [one] : [],
    ),
  ];
  for (const config of configs) {
    config.url = `https://127.0.0.1:${String(port)}${config.service?.path ?? ''}`;
    config.caBundle = Buffer.from(certificate).toString('base64');
    delete config.service;
  }
  return redirected;
}

/** Applies objects in the order in which they depend on each other, and waits until the server lists the kinds of CRDs. */
export async function install(api: Api, objects: readonly KubernetesObject[]): Promise<void> {
  const first = ['Namespace', 'CustomResourceDefinition'];
  const ordered = [
    ...first.flatMap((kind) => objects.filter((one) => one.kind === kind)),
    ...objects.filter(({ kind }) => !first.includes(kind)),
  ];
  for (const object of ordered) {
    const target = await api.pathOf(object);
    if (!target) throw new Error(`the server does not know ${object.kind} in ${object.apiVersion}`);
    const answer = await api.send(
      'PATCH',
      `${target.object}?fieldManager=installer&force=true`,
      object,
      'application/apply-patch+yaml',
    );
    if (!isSuccess(answer)) throw new Error(`${object.kind} ${object.metadata.name}: ${messageOf(answer)}`);
  }
  for (const { kind, metadata } of ordered)
    if (kind === 'CustomResourceDefinition')
      await eventually(
        () => api.get('apiextensions.k8s.io/v1', kind, metadata.name),
        ({ status }) => {
          const conditions = (status?.conditions ?? []) as { type: string; status: string }[];
          if (!conditions.some((one) => one.type === 'Established' && one.status === 'True'))
            throw new Error(`CRD ${metadata.name} is not established`);
        },
      );
  for (const object of ordered)
    for (const { apiVersion, kind } of servedBy(object))
      await eventually(async () => {
        api.forget();
        if ((await api.pathOf({ apiVersion, kind })) === undefined)
          throw new Error(`the server does not list ${kind} in ${apiVersion} yet`);
      });
}

/** What a CRD makes the server know; nothing for other objects. */
function servedBy({ kind, spec }: KubernetesObject): readonly { apiVersion: string; kind: string }[] {
  if (kind !== 'CustomResourceDefinition') return [];
  const { group, names, versions } = spec as unknown as {
    group: string;
    names: { kind: string };
    versions: { name: string; served: boolean }[];
  };
  return versions
    .filter(({ served }) => served)
    .map(({ name }) => ({ apiVersion: `${group}/${name}`, kind: names.kind }));
}
