import { type ApiObject } from 'cdk8s';
import { GATEWAY_RELEASES, INFERENCE_POOL_GKE, OBJECTIVE_HEADER } from '../facts/gateway';
import { amount, type Json, manifestObject, record } from '../manifest/manifest';
import { podsOf, records } from '../manifest/pods';
import { kubectlIn, type Operations, type RunbookStep } from '../operations/operations';
import { ShellCommand } from '../operations/shell-command';
import { kedaOf, scalingSteps } from './autoscaling-operations';
import { type Member } from './members';
import { pickerName, pickerSelector } from './picker';
import { type InferencePoolProps } from './props';

interface PoolFacts {
  readonly name: string;
  readonly namespace: string;
  readonly props: InferencePoolProps;
  /** The InferencePool and the Deployment of its picker, as they are when the runbook is made. */
  readonly pool: ApiObject;
  readonly picker: ApiObject;
  readonly members: readonly Member[];
}

const CRDS = `https://raw.githubusercontent.com/llm-d/llm-d-router/${GATEWAY_RELEASES.endpointPicker}/config/crd/bases`;

/** The CRDs that GKE does not bring, as far as a pool needs them. */
function extensionCrds({ modelRewrites = [], objectives = {} }: InferencePoolProps): readonly RunbookStep[] {
  const files = [
    ...(modelRewrites.length > 0 ? ['llm-d.ai_inferencemodelrewrites.yaml'] : []),
    ...(Object.keys(objectives).length > 0 ? ['llm-d.ai_inferenceobjectives.yaml'] : []),
  ];
  if (files.length === 0) return [];
  return [
    {
      text: 'Install the CRDs for aliases and priorities, which GKE does not bring.',
      commands: files.map((file) => new ShellCommand(['kubectl', 'apply', '-f', `${CRDS}/${file}`])),
    },
  ];
}

/** How clients name a priority. */
function priorities(name: string, { objectives = {} }: InferencePoolProps): readonly string[] {
  const names = Object.keys(objectives).map((one) => `\`${one}\``);
  return names.length === 0
    ? []
    : [`Clients of \`${name}\` name a priority in the header \`${OBJECTIVE_HEADER}\`: ${names.join(', ')}.`];
}

/** The endpoint pickers run on the cluster's own nodes. */
function pickerNodes({ name, picker, props }: PoolFacts): Operations['ownNodes'] {
  const requests = podsOf(manifestObject(picker.toJson() as Json))
    .flatMap((pod) => records(pod.spec, 'containers'))
    .map((container) => record(container, 'resources', 'requests'));
  const amounts = requests.flatMap((one) => {
    const [cpu, memory] = ['cpu', 'memory'].map((resource) => amount(one, resource));
    return [
      ...(cpu === undefined ? [] : [`${cpu} CPU`]),
      ...(memory === undefined ? [] : [`${memory} of memory`]),
    ];
  });
  if (amounts.length === 0) return undefined;
  const pods = isElected(props)
    ? `${String(props.endpointPicker?.replicas)} endpoint pickers of \`${name}\`, each of which`
    : `the endpoint picker of \`${name}\`, which`;
  return { machineType: undefined, because: `${pods} requests ${amounts.join(' and ')}` };
}

const isElected = ({ endpointPicker }: InferencePoolProps): boolean => (endpointPicker?.replicas ?? 1) > 1;

/** A label selector as kubectl writes it. */
const selectorOf = (labels: Json): string =>
  Object.entries(labels)
    .map(([label, value]) => `${label}=${String(value)}`)
    .join(',');

/** Steps that show whether a pool works. */
const verify = ({ name, namespace, props }: PoolFacts): readonly RunbookStep[] => {
  const kubectl = kubectlIn(namespace);
  return [
    isElected(props)
      ? {
          text: `Check that one endpoint picker of \`${name}\` is ready: the leader. The others run and wait, so the Deployment never reports all of them as available.`,
          commands: [kubectl('get', 'pods', '-l', selectorOf(pickerSelector(name)))],
        }
      : {
          text: `Wait until the endpoint picker of \`${name}\` is ready.`,
          commands: [kubectl('rollout', 'status', `deployment/${pickerName(name)}`, '--timeout=300s')],
        },
    {
      text: `Check that the gateway has accepted \`${name}\`: \`Accepted\` and \`ResolvedRefs\` are \`True\`.`,
      commands: [kubectl('get', 'inferencepool', name, '-o', 'jsonpath={.status.parents[*].conditions}')],
    },
  ];
};

/** What failures of a pool look like, and what to do. */
const troubleshoot = ({ name, namespace, pool, members }: PoolFacts): readonly RunbookStep[] => {
  const kubectl = kubectlIn(namespace);
  const labels = record(pool.toJson(), 'spec', 'selector', 'matchLabels');
  return [
    {
      text: `If requests fail with "no healthy upstream", the load balancer finds no healthy server in \`${name}\`. Wait until the servers are ready. If they are, compare the path and the port of the HealthCheckPolicy with those of their readiness probe.`,
      commands: [
        kubectl('get', 'pods', '-l', selectorOf(labels)),
        kubectl('get', 'healthcheckpolicy', name, '-o', 'jsonpath={.spec.default.config}'),
      ],
    },
    {
      text: `If long answers end early, compare the time-out of \`${name}\`, in seconds, with the time that they take, and raise \`requestTimeoutSeconds\`.`,
      commands: [kubectl('get', 'gcpbackendpolicy', name, '-o', 'jsonpath={.spec.default.timeoutSec}')],
    },
    {
      text: `If requests wait although servers of \`${name}\` are idle, read the log of the endpoint picker.`,
      commands: [kubectl('logs', `deploy/${pickerName(name)}`, '--tail=100')],
    },
    ...(members.every(({ apiKey }) => apiKey === undefined)
      ? [
          {
            text: `If a request to \`${name}\` fails with 404 because the model does not exist, its field \`model\` is not a name that the servers answer to. List their names.`,
            commands: members.map(
              ({ service, port }) =>
                new ShellCommand([
                  'kubectl',
                  'get',
                  `--raw=/api/v1/namespaces/${namespace}/services/${service}:${String(port)}/proxy/v1/models`,
                ]),
            ),
          },
        ]
      : []),
  ];
};

/** What a pool needs, and the steps to see whether it works. */
export const poolOperations = (facts: PoolFacts) => (): Operations => {
  const { name, props } = facts;
  const ownNodes = pickerNodes(facts);
  const keda = kedaOf(name, props.autoscaling);
  return {
    gkeVersions: [{ version: INFERENCE_POOL_GKE, because: 'it brings the InferencePool and its controller' }],
    crds: extensionCrds(props),
    notes: priorities(name, props),
    images: props.endpointPicker?.image === undefined ? [] : [props.endpointPicker.image],
    ...(ownNodes && { ownNodes }),
    ...(keda && { keda }),
    steps: {
      scale: props.autoscaling ? scalingSteps(name, props.autoscaling) : [],
      verify: verify(facts),
      troubleshoot: troubleshoot(facts),
    },
  };
};
