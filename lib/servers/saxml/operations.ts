import { CONTROLLERS } from '../../facts/controllers';
import { JOB_COMPLETION_INDEX_LABEL, JOBSET_NAME_LABEL } from '../../facts/labels';
import { type Kubectl, type Operations, type RunbookStep } from '../../operations/operations';
import { nameOf } from '../../problems/schema';
import { curl, type Endpoint, endpointOf } from '../operations';
import { type SaxCellProps } from './props';

/**
 * Saxml's test model with random weights, from the tutorial.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/deprecations/tpu-multihost-saxml
 */
const TEST_MODEL = {
  name: 'spmd',
  path: 'saxml.server.pax.lm.params.lm_cloud.LmCloudSpmd175B32Test',
  checkpoint: 'None',
  bytes: 350e9,
};

/** Roles that the servers need on the bucket with the state of the cell. */
const ROLES = ['roles/storage.admin'] as const;

/** The objects of a cell that runbook steps name. */
interface CellNames {
  readonly workload: { readonly name: string };
  readonly adminDeployment: { readonly name: string };
  readonly httpDeployment: { readonly name: string };
  readonly httpService: { readonly name: string };
}

/** Facts about a cell that its props do not contain. */
interface CellFacts {
  readonly port: number;
  readonly saxCell: string;
  readonly hostNetwork: boolean;
}

/** Returns the requirements and runbook steps of a Saxml cell. */
export const saxOperations =
  (cell: CellNames, props: SaxCellProps, facts: CellFacts) =>
  (kubectl: Kubectl): Operations => {
    const { slice, replicas = 1, capacity, bucketName, serviceType: type } = props;
    const endpoint = endpointOf(kubectl, { name: cell.httpService.name, port: facts.port, type });
    return {
      slices: [{ slice, capacity, replicas }],
      ...(slice.multiHost && { controllers: [CONTROLLERS.jobSet] }),
      roles: [
        {
          bucketName,
          roles: ROLES,
          serviceAccountName: nameOf(props.serviceAccountName),
          asNodes: facts.hostNetwork,
        },
      ],
      images: Object.values(props.images ?? {}).map(String),
      notes: [
        'Saxml is experimental, and its GKE tutorial is deprecated.',
        ...(facts.hostNetwork
          ? [
              'The model servers use the network of their nodes and act as the service account of the nodes, which also needs the roles.',
            ]
          : []),
      ],
      steps: {
        verify: verify(kubectl, cell, props),
        call: [endpoint.open, ...call(kubectl, cell, props, facts, endpoint)],
        ...(slice.multiHost && { change: changeJobSet(kubectl, cell) }),
      },
    };
  };

const changeJobSet = (kubectl: Kubectl, { workload: { name } }: CellNames): readonly RunbookStep[] => [
  {
    text: 'A JobSet cannot be changed, so applying other props fails. Delete the JobSet, then apply. Published models remain in the bucket, and the new model servers load them again.',
    commands: [kubectl('delete', 'jobset', name)],
  },
];

/** Returns the selector of the model servers' pods. */
const modelPods = ({ workload: { name } }: CellNames, { slice }: SaxCellProps): string =>
  slice.multiHost ? `${JOBSET_NAME_LABEL}=${name}` : `app=${name}`;

function verify(kubectl: Kubectl, cell: CellNames, props: SaxCellProps): readonly RunbookStep[] {
  const { slice, replicas = 1 } = props;
  const pods = `${String(slice.hosts)} ${slice.hosts === 1 ? 'pod' : 'pods'}`;
  return [
    {
      text: `Wait for the admin and HTTP servers${slice.multiHost ? '' : ', and for the nodes of the model servers'}.`,
      commands: [
        cell.adminDeployment.name,
        ...(slice.multiHost ? [] : [cell.workload.name]),
        cell.httpDeployment.name,
      ].map((deployment) => kubectl('rollout', 'status', `deployment/${deployment}`, '--timeout=10m')),
    },
    {
      text: `Watch the pods until all are Running: ${String(replicas)} model ${replicas === 1 ? 'server' : 'servers'} with ${pods} each. Saxml publishes a model only on running model servers.`,
      commands: [kubectl('get', 'pods', '-l', modelPods(cell, props), '--watch')],
    },
  ];
}

function call(
  kubectl: Kubectl,
  cell: CellNames,
  props: SaxCellProps,
  { saxCell }: CellFacts,
  endpoint: Endpoint,
): readonly RunbookStep[] {
  const { slice, replicas = 1 } = props;
  const fits = slice.hbmGiB * 2 ** 30 >= TEST_MODEL.bytes;
  const published = fits ? TEST_MODEL : { name: 'MODEL_NAME', path: 'MODEL_PATH', checkpoint: 'CHECKPOINT' };
  const model = `${saxCell}/${published.name}`;
  const placeholders = {
    MODEL_NAME: 'name of the model in the cell',
    MODEL_PATH: `class of the model, like \`${TEST_MODEL.path}\``,
    CHECKPOINT: "folder of the model's checkpoint, `gs://…`, or `None` for random weights",
  };
  const step = (
    text: string,
    path: string,
    body: Readonly<Record<string, unknown>>,
    method?: 'GET',
  ): RunbookStep => ({
    text,
    commands: [curl(endpoint, path, body, { ...(method && { method }) })],
    ...(!fits && { placeholders }),
  });
  const where = replicas === 1 ? 'the slice' : `the ${String(replicas)} slices`;
  const leaders = `${modelPods(cell, props)}${slice.multiHost ? `,${JOB_COMPLETION_INDEX_LABEL}=0` : ''}`;
  return [
    step(
      `Publish a model on ${where}, which takes up to ten minutes.${fits ? ' This model has random weights.' : ''}`,
      '/publish',
      { model, model_path: published.path, checkpoint: published.checkpoint, replicas },
    ),
    {
      text: 'Check that the model is loaded: the logs contain `Successfully loaded model` once for each slice.',
      // With a selector, kubectl prints only ten lines per pod by default.
      commands: [kubectl('logs', '-l', leaders, '--tail=-1')],
    },
    step(
      'Check how many model servers have loaded the model: `active_replicas`.',
      '/listcell',
      { model },
      'GET',
    ),
    step('Send a query to the model.', '/generate', { model, query: 'How many days are in a week?' }),
    step('Unpublish the model.', '/unpublish', { model }),
  ];
}
