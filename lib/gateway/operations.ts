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
  /** The InferencePool. Steps read it, and the picker's Deployment, when the runbook is written. */
  readonly pool: ApiObject;
  readonly picker: ApiObject;
  readonly members: readonly Member[];
}

const CRDS = `https://raw.githubusercontent.com/llm-d/llm-d-router/${GATEWAY_RELEASES.endpointPicker}/config/crd/bases`;

/** Returns the step that installs the CRDs that a pool needs and GKE does not install. */
function extensionCrds({ modelRewrites = [], objectives = {} }: InferencePoolProps): readonly RunbookStep[] {
  const files = [
    ...(modelRewrites.length > 0 ? ['llm-d.ai_inferencemodelrewrites.yaml'] : []),
    ...(Object.keys(objectives).length > 0 ? ['llm-d.ai_inferenceobjectives.yaml'] : []),
  ];
  if (files.length === 0) return [];
  return [
    {
      text: 'Install the CRDs for aliases and priorities, which GKE does not install.',
      commands: files.map((file) => new ShellCommand(['kubectl', 'apply', '-f', `${CRDS}/${file}`])),
    },
  ];
}

/** Returns the note that explains how clients choose a priority. */
function priorities(name: string, { objectives = {} }: InferencePoolProps): readonly string[] {
  const names = Object.keys(objectives).map((one) => `\`${one}\``);
  return names.length === 0
    ? []
    : [
        `Clients of \`${name}\` set their priority in the header \`${OBJECTIVE_HEADER}\`: ${names.join(', ')}.`,
      ];
}

/** Returns the requirement for nodes without TPUs, on which the endpoint pickers run. */
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

/** Returns a label selector in kubectl's syntax. */
const selectorOf = (labels: Json): string =>
  Object.entries(labels)
    .map(([label, value]) => `${label}=${String(value)}`)
    .join(',');

/** Returns the steps that check a pool. */
const verify = ({ name, namespace, props }: PoolFacts): readonly RunbookStep[] => {
  const kubectl = kubectlIn(namespace);
  return [
    isElected(props)
      ? {
          text: `Check that one endpoint picker of \`${name}\` is ready: the leader. The other pickers run and wait, so the Deployment never reports all replicas as available.`,
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

/** Returns the steps that fix failures of a pool. */
const troubleshoot = ({ name, namespace, pool, members }: PoolFacts): readonly RunbookStep[] => {
  const kubectl = kubectlIn(namespace);
  const labels = record(pool.toJson(), 'spec', 'selector', 'matchLabels');
  return [
    {
      text: `If requests fail with "no healthy upstream", the load balancer finds no healthy server in \`${name}\`. Wait until the servers are ready. If they are ready, compare path and port of the HealthCheckPolicy with their readiness probe.`,
      commands: [
        kubectl('get', 'pods', '-l', selectorOf(labels)),
        kubectl('get', 'healthcheckpolicy', name, '-o', 'jsonpath={.spec.default.config}'),
      ],
    },
    {
      text: `If long answers end early, compare their duration with the timeout of \`${name}\` in seconds, and raise \`requestTimeoutSeconds\`.`,
      commands: [kubectl('get', 'gcpbackendpolicy', name, '-o', 'jsonpath={.spec.default.timeoutSec}')],
    },
    {
      text: `If requests wait although servers of \`${name}\` are idle, read the log of the endpoint picker.`,
      commands: [kubectl('logs', `deploy/${pickerName(name)}`, '--tail=100')],
    },
    ...(members.every(({ apiKey }) => apiKey === undefined)
      ? [
          {
            text: `If a request to \`${name}\` fails with 404 because the model does not exist, the servers do not know the name in its field \`model\`. List the names that they know.`,
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

/** Returns the requirements of a pool, and the steps that check it. */
export const poolOperations = (facts: PoolFacts) => (): Operations => {
  const { name, props } = facts;
  const ownNodes = pickerNodes(facts);
  const keda = kedaOf(name, props.autoscaling);
  return {
    gkeVersions: [
      { version: INFERENCE_POOL_GKE, because: 'it includes the InferencePool CRD and its controller' },
    ],
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
