import { GATEWAY_RELEASES, INFERENCE_POOL_GKE, OBJECTIVE_HEADER } from '../facts/gateway';
import { type Kubectl, type Operations, type RunbookStep } from '../operations/operations';
import { ShellCommand } from '../operations/shell-command';
import { type InferencePoolProps } from './props';
import { kedaSteps, scalingSteps } from './autoscaling-operations';
import { pickerName } from './picker';

interface PoolFacts {
  readonly name: string;
  readonly namespace: string;
  readonly props: InferencePoolProps;
  readonly model: string | undefined;
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

/** What a pool needs, and the steps to see whether it works. */
export const poolOperations =
  ({ name, props }: PoolFacts) =>
  (kubectl: Kubectl): Operations => ({
    gkeVersions: [{ version: INFERENCE_POOL_GKE, because: 'it brings the InferencePool and its controller' }],
    before: [...extensionCrds(props), ...(props.autoscaling ? kedaSteps(name, props.autoscaling) : [])],
    notes: priorities(name, props),
    images: props.endpointPicker?.image === undefined ? [] : [props.endpointPicker.image],
    steps: {
      scale: props.autoscaling ? scalingSteps(name, props.autoscaling) : [],
      verify: [
        {
          text: `Wait until the endpoint picker of \`${name}\` is ready.`,
          commands: [kubectl('rollout', 'status', `deployment/${pickerName(name)}`, '--timeout=300s')],
        },
        {
          text: `See whether the gateway has accepted the pool: \`Accepted\` and \`ResolvedRefs\` are \`True\`.`,
          commands: [kubectl('get', 'inferencepool', name, '-o', 'jsonpath={.status.parents[*].conditions}')],
        },
      ],
      troubleshoot: [
        {
          text: `If requests fail with "no healthy upstream", the load balancer finds no healthy server in \`${name}\`: the servers are not ready yet, or they do not answer on the path and port of the HealthCheckPolicy.`,
          commands: [
            kubectl('get', 'healthcheckpolicy', name, '-o', 'jsonpath={.spec.default.config}'),
            kubectl('get', 'inferencepool', name, '-o', 'jsonpath={.spec.selector.matchLabels}'),
          ],
        },
        {
          text: `If requests wait although servers are idle, look at the log of the endpoint picker.`,
          commands: [kubectl('logs', `deploy/${pickerName(name)}`, '--tail=100')],
        },
      ],
    },
  });
