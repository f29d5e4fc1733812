import { type ApiObject, Chart } from 'cdk8s';
import { API_KEY_VARIABLES } from '../facts/servers';
import { at, type Json, manifestObject, number, record, text } from '../manifest/manifest';
import { modelServerOf } from '../manifest/model-servers';
import { type ContainerView, podsOf, type PodView, records } from '../manifest/pods';
import { type SecretKeyRef } from '../operations/operations';
import { type Problem } from '../problems/problems';
import { isObject, misfit, type Type } from '../problems/schema';

/** A server that an InferencePool can send requests to, like a `VllmServer`. */
export interface PoolServer {
  /** The Deployment or LeaderWorkerSet of the server. */
  readonly workload: ApiObject;
  /** The Service of the server, which selects the pods that answer clients. */
  readonly service: ApiObject;
}

const SERVER = 'a server, like a VllmServer';

const isApiObject = (value: unknown): value is ApiObject =>
  isObject(value) && typeof value['toJson'] === 'function' && typeof value['kind'] === 'string';

/** The type of a server of a pool. */
export const poolServerType: Type<PoolServer> = {
  what: SERVER,
  read: (value, path, problems) => {
    if (isObject(value) && isApiObject(value['workload']) && isApiObject(value['service']))
      return value as unknown as PoolServer;
    problems.add(misfit(path, value, SERVER));
    return undefined;
  },
};

/** Facts about a server that a pool reads from the rendered objects. */
export interface Member {
  readonly name: string;
  /** Name of the server's Service. */
  readonly service: string;
  /** Namespace of the objects or of their chart; undefined if neither sets one. */
  readonly namespace: string | undefined;
  /** Labels by which the Service selects pods. */
  readonly selector: Readonly<Record<string, string>>;
  /** Labels of the selected pods. */
  readonly labels: Readonly<Record<string, string>>;
  readonly port: number | undefined;
  readonly healthPath: string | undefined;
  readonly terminationGracePeriodSeconds: number;
  /** Name of the model that requests must use. */
  readonly model: string | undefined;
  /** Key of the Secret with the API key that requests must send; undefined if the server does not require one. */
  readonly apiKey: SecretKeyRef | undefined;
}

const isWorker = (pod: PodView): boolean => pod.path.includes('workerTemplate');

/** Kubernetes' default grace period in seconds. */
const GRACE_SECONDS = 30;

/** Returns the facts about a server, read from its objects. */
export function memberOf({ workload, service }: PoolServer): Member {
  const made = manifestObject(workload.toJson() as Json);
  const pods = podsOf(made);
  const pod = pods.find((one) => !isWorker(one)) ?? pods[0];
  const selector = record(service.toJson(), 'spec', 'selector') as Record<string, string>;
  const container = pod?.containers.find((one) => modelServerOf(one) !== undefined) ?? pod?.tpu[0];
  const served = container && modelServerOf(container);
  const portOfService = at(service.toJson(), 'spec', 'ports') as readonly Json[] | undefined;
  return {
    name: made.name,
    service: service.name,
    namespace: text(made.manifest, 'metadata', 'namespace') ?? Chart.of(workload).namespace,
    selector,
    labels: { ...(pod?.labels as Record<string, string> | undefined), ...selector },
    port: number(portOfService?.[0], 'targetPort') ?? number(portOfService?.[0], 'port'),
    healthPath: text(container?.container, 'readinessProbe', 'httpGet', 'path'),
    terminationGracePeriodSeconds: number(pod?.spec, 'terminationGracePeriodSeconds') ?? GRACE_SECONDS,
    model: served?.flag('--served-model-name') ?? served?.flag('--model') ?? served?.served,
    apiKey: container && apiKeyOf(container),
  };
}

/** Returns the Secret from which a container reads the API key of its clients. */
function apiKeyOf({ container }: ContainerView): SecretKeyRef | undefined {
  const variable = records(container, 'env').find((one) =>
    API_KEY_VARIABLES.includes(text(one, 'name') ?? ''),
  );
  const secretName = text(variable, 'valueFrom', 'secretKeyRef', 'name');
  const key = text(variable, 'valueFrom', 'secretKeyRef', 'key');
  return secretName === undefined || key === undefined ? undefined : { secretName, key };
}

/** Returns the labels that all servers of a pool share: for one server, the selector of its Service. */
export function sharedLabels(members: readonly Member[]): Readonly<Record<string, string>> {
  const [first, ...others] = members;
  if (first === undefined) return {};
  if (others.length === 0) return first.selector;
  return Object.fromEntries(
    Object.entries(first.labels).filter(([label, value]) =>
      others.every(({ labels }) => labels[label] === value),
    ),
  );
}

/** Yields the servers that do not match the other servers or the namespace of the pool. */
export function* memberProblems(members: readonly Member[], namespace: string): Iterable<Problem> {
  const [first] = members;
  for (const [index, member] of members.entries()) {
    const path = `servers[${String(index)}]`;
    const { namespace: other = 'default' } = member;
    if (other !== namespace)
      yield {
        path,
        value: member.name,
        problem: `is in namespace '${other}', but a pool selects only pods in its own namespace, '${namespace}'`,
        use: `namespace: '${other}' for the pool`,
      };
    if (member.port === undefined)
      yield { path, value: member.name, problem: 'has a Service without a numbered port', use: SERVER };
    if (member.healthPath === undefined)
      yield {
        path,
        value: member.name,
        problem: 'has no HTTP readiness probe, whose path the load balancer also requests',
        use: 'probes.readiness with an httpGet',
      };
    if (member.port !== first?.port)
      yield {
        path,
        value: member.name,
        problem: `listens on port ${String(member.port)}, but '${String(first?.name)}' on ${String(first?.port)}`,
        use: 'the same port for all servers of a pool',
      };
    if (member.model !== first?.model)
      yield {
        path,
        value: member.name,
        problem: `serves '${String(member.model)}', but '${String(first?.name)}' serves '${String(first?.model)}'`,
        use: 'one pool for each model, or the same servedModelName',
      };
  }
}
