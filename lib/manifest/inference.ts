import { GATEWAY_GROUP, GKE_NETWORKING_GROUP, INFERENCE_POOL_GROUP } from '../facts/gateway';
import { wordsOf } from './command-line';
import { type Json, type ManifestObject, number, record, text } from './manifest';
import { type ContainerView, type PodView, records } from './pods';
import { grouped, objectNamed, ofGroup, selectedByService, selecting } from './selection';
import { parseYaml } from './serve-config';
import { type ManifestSet, perSet } from './set';

// Objects in front of model servers: pools, endpoint pickers, routes and policies of GKE.

/** An InferencePool and the objects that it refers to. */
export interface PoolView {
  readonly object: ManifestObject;
  /** A label selector of its servers. */
  readonly selector: Json;
  /** The servers' pods that it is applied with. */
  readonly pods: readonly PodView[];
  /** The servers' pods in the set, with those of alternatives. */
  readonly all: readonly PodView[];
  readonly targetPorts: readonly number[];
  /** The Service of the endpoint picker, as the pool names it. */
  readonly pickerName: string | undefined;
  readonly pickerPort: number | undefined;
  /** The Service of the endpoint picker, if the set contains it. */
  readonly pickerService: ManifestObject | undefined;
  /** The pods of the endpoint picker. */
  readonly pickerPods: readonly PodView[];
}

/** Returns the pools of a set, in the version that GKE serves. */
export const poolsIn = perSet((set): readonly PoolView[] =>
  ofGroup(set, 'InferencePool', INFERENCE_POOL_GROUP).map((object) => {
    const spec = record(object.manifest, 'spec');
    const selector = record(spec, 'selector');
    const pickerName = text(spec, 'endpointPickerRef', 'name');
    const pickerService =
      pickerName === undefined ? undefined : objectNamed(set, object, 'Service', pickerName);
    return {
      ...selecting(set, object, selector),
      targetPorts: records(spec, 'targetPorts').flatMap((port) => number(port, 'number') ?? []),
      pickerName,
      pickerPort: number(spec, 'endpointPickerRef', 'port', 'number'),
      pickerService,
      pickerPods: pickerService === undefined ? [] : selectedByService(set, pickerService),
    };
  }),
);

/** A container that runs an endpoint picker. */
export interface PickerView {
  readonly pod: PodView;
  readonly container: ContainerView;
  readonly words: readonly string[];
  /** Returns the value of a flag. */
  readonly flag: (name: string) => string | undefined;
}

const PICKER_IMAGE = /(^|\/)(llm-d-router-endpoint-picker|llm-d-inference-scheduler|epp)(:|@|$)/;

/** Returns the endpoint pickers of a set, by their image or by the pool that an argument names. */
export const pickersIn = perSet((set): readonly PickerView[] =>
  set.pods.flatMap((pod) =>
    pod.containers.flatMap((container) => {
      const words = wordsOf(container);
      const flag = (name: string): string | undefined => flagOf(words, name);
      const runs = PICKER_IMAGE.test(text(container.container, 'image') ?? '');
      return runs || flag('--pool-name') !== undefined ? [{ pod, container, words, flag }] : [];
    }),
  ),
);

/** Whether a picker has the image of llm-d. */
export const isOfLlmD = ({ container }: PickerView): boolean =>
  /(^|\/)llm-d-router-endpoint-picker(:|@|$)/.test(text(container.container, 'image') ?? '');

/** Returns the value after `--flag` or `--flag=`. Go's flags can also have one dash. */
function flagOf(words: readonly string[], name: string): string | undefined {
  const spellings = [name, name.replace(/^--/, '-')];
  for (const [index, word] of words.entries()) {
    if (spellings.includes(word)) return words[index + 1];
    const found = spellings.find((one) => word.startsWith(`${one}=`));
    if (found !== undefined) return word.slice(found.length + 1);
  }
  return undefined;
}

/** Returns the configuration of a picker and its place; undefined if the set does not contain it. */
export function configurationOf(
  set: ManifestSet,
  { pod, container, flag }: PickerView,
): { readonly configMap: ManifestObject; readonly key: string; readonly config: unknown } | undefined {
  const file = flag('--config-file');
  if (file === undefined) return undefined;
  const folder = file.slice(0, file.lastIndexOf('/'));
  const mount = records(container.container, 'volumeMounts').find(
    (one) => text(one, 'mountPath')?.replace(/\/+$/, '') === folder,
  );
  const volume = pod.volumes.find((one) => text(one, 'name') === text(mount, 'name'));
  const name = text(volume, 'configMap', 'name');
  if (name === undefined || records(volume, 'configMap', 'items').length > 0) return undefined;
  const configMap = objectNamed(set, pod.object, 'ConfigMap', name);
  if (!configMap) return undefined;
  const key = file.slice(folder.length + 1);
  const source = text(configMap.manifest, 'data', key);
  return { configMap, key, config: source === undefined ? undefined : parseYaml(source).value };
}

/** Returns the endpoint pickers behind the Service that a pool names. */
export const pickersOf = (set: ManifestSet, { pickerPods }: PoolView): readonly PickerView[] =>
  pickersIn(set).filter(({ pod }) => pickerPods.includes(pod));

/** A policy of GKE and its pool. */
export interface PolicyView {
  readonly object: ManifestObject;
  /** Name of the pool. */
  readonly target: string;
}

/** Returns the policies of a kind that apply to pools. */
export const policiesIn = (
  set: ManifestSet,
  kind: 'GCPBackendPolicy' | 'HealthCheckPolicy',
): readonly PolicyView[] =>
  ofGroup(set, kind, GKE_NETWORKING_GROUP).flatMap((object) => {
    const target = record(object.manifest, 'spec', 'targetRef');
    const name = text(target, 'name');
    return text(target, 'kind') === 'InferencePool' && name !== undefined ? [{ object, target: name }] : [];
  });

/** Returns the policies of a pool. */
export const policiesFor = (
  set: ManifestSet,
  { object }: PoolView,
  kind: 'GCPBackendPolicy' | 'HealthCheckPolicy',
): readonly ManifestObject[] =>
  policiesByTarget(set).get([kind, object.namespace, object.name].join('\n')) ?? [];

const policiesByTarget = perSet((set) =>
  grouped(
    (['GCPBackendPolicy', 'HealthCheckPolicy'] as const).flatMap((kind) =>
      policiesIn(set, kind).map(({ object, target }): readonly [string, ManifestObject] => [
        [kind, object.namespace, target].join('\n'),
        object,
      ]),
    ),
  ),
);

/** A backend of a route, and its place. */
export interface BackendView {
  readonly route: ManifestObject;
  readonly path: string;
  /** Index of the rule. */
  readonly rule: number;
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

/** Returns the backends of all HTTPRoutes. */
export const backendsIn = perSet((set): readonly BackendView[] =>
  ofGroup(set, 'HTTPRoute', GATEWAY_GROUP).flatMap((route) =>
    records(route.manifest, 'spec', 'rules').flatMap((one, rule) =>
      records(one, 'backendRefs').map((backend, index) => ({
        route,
        rule,
        path: `spec.rules[${String(rule)}].backendRefs[${String(index)}]`,
        group: text(backend, 'group') ?? '',
        kind: text(backend, 'kind') ?? 'Service',
        name: text(backend, 'name') ?? '',
        namespace: namespaceOf(text(backend, 'namespace'), route),
      })),
    ),
  ),
);

/** Returns a namespace in the form of the set: empty for the default one. */
export const namespaceOf = (named: string | undefined, { namespace }: ManifestObject): string =>
  named === undefined ? namespace : named === 'default' ? '' : named;

/** Whether a load balancer of GKE serves a pool: it has a policy of GKE, or a Gateway with a class of GKE routes to it. */
export function isOnGke(set: ManifestSet, pool: PoolView): boolean {
  const { name, namespace } = pool.object;
  return (
    policiesFor(set, pool, 'GCPBackendPolicy').length + policiesFor(set, pool, 'HealthCheckPolicy').length >
      0 ||
    backendsIn(set).some(
      (one) =>
        one.kind === 'InferencePool' &&
        one.name === name &&
        one.namespace === namespace &&
        gatewaysOf(set, one.route).some((gateway) =>
          text(gateway.manifest, 'spec', 'gatewayClassName')?.startsWith('gke-'),
        ),
    )
  );
}

/** A Gateway that a route names. */
export interface ParentView {
  readonly path: string;
  readonly name: string;
  readonly namespace: string;
  /** Name of the listener that the route selects. */
  readonly sectionName: string | undefined;
  readonly port: number | undefined;
  /** The Gateway, if the set contains it. */
  readonly gateway: ManifestObject | undefined;
}

/** Returns the Gateways that a route names. */
export const parentsOf = (set: ManifestSet, route: ManifestObject): readonly ParentView[] =>
  records(route.manifest, 'spec', 'parentRefs').flatMap((parent, index) => {
    if ((text(parent, 'kind') ?? 'Gateway') !== 'Gateway') return [];
    const name = text(parent, 'name') ?? '';
    const namespace = namespaceOf(text(parent, 'namespace'), route);
    return [
      {
        path: `spec.parentRefs[${String(index)}]`,
        name,
        namespace,
        sectionName: text(parent, 'sectionName'),
        port: number(parent, 'port'),
        gateway: objectNamed(set, route, 'Gateway', name, namespace),
      },
    ];
  });

/** Returns the Gateways that a route names and the set contains. */
export const gatewaysOf = (set: ManifestSet, route: ManifestObject): readonly ManifestObject[] =>
  parentsOf(set, route).flatMap(({ gateway }) => gateway ?? []);
