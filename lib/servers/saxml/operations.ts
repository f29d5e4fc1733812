import { CONTROLLERS } from '../../facts/controllers';
import { type Kubectl, type Operations } from '../../operations/operations';
import { curl, endpointOf } from '../operations';
import { type SaxCell, type SaxCellProps } from './cell';

/**
 * Saxml's test model with random weights, of the tutorial.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/deprecations/tpu-multihost-saxml
 */
const TEST_MODEL = {
  name: 'spmd',
  path: 'saxml.server.pax.lm.params.lm_cloud.LmCloudSpmd175B32Test',
  checkpoint: 'None',
  bytes: 350e9,
};

/** What the servers read and write the cell's state with. */
const ROLES = ['roles/storage.admin'] as const;

/** What a Saxml cell needs, and what is done with it. */
export const saxOperations =
  (
    cell: SaxCell,
    props: SaxCellProps,
    facts: { readonly port: number; readonly saxCell: string; readonly hostNetwork: boolean },
  ) =>
  (kubectl: Kubectl): Operations => {
    const { slice, replicas = 1 } = props;
    const { name } = cell.jobSet;
    const endpoint = endpointOf(kubectl, {
      name: cell.httpService.name,
      port: facts.port,
      type: props.serviceType,
    });
    const fits = slice.hbmGiB * 2 ** 30 >= TEST_MODEL.bytes;
    const published = fits
      ? TEST_MODEL
      : { name: 'MODEL_NAME', path: 'MODEL_PATH', checkpoint: 'CHECKPOINT' };
    const model = `${facts.saxCell}/${published.name}`;
    const placeholders = fits
      ? undefined
      : {
          MODEL_NAME: 'name of the model in the cell',
          MODEL_PATH: `class of the model, like \`${TEST_MODEL.path}\``,
          CHECKPOINT: 'folder of its checkpoint, `gs://…`, or `None` for random weights',
        };
    const step = (
      text: string,
      path: string,
      body: Readonly<Record<string, unknown>>,
      method?: 'GET',
    ): { text: string; commands: string[]; placeholders?: Record<string, string> } => ({
      text,
      commands: [curl(endpoint, path, body, method)],
      ...(placeholders && { placeholders }),
    });
    return {
      slices: [{ slice, capacity: props.capacity, replicas }],
      controllers: [CONTROLLERS.jobSet],
      roles: [
        {
          bucketName: props.bucketName,
          roles: ROLES,
          serviceAccountName: props.serviceAccountName,
          asNodes: facts.hostNetwork,
        },
      ],
      images: Object.values(props.images ?? {}).map(String),
      notes: [
        'Saxml is experimental, and the tutorial that this follows is deprecated.',
        ...(facts.hostNetwork
          ? [
              "The model servers are on their nodes' network and act as their nodes: the nodes' service account needs the roles too.",
            ]
          : []),
      ],
      steps: {
        verify: [
          {
            text: 'Wait for the admin and HTTP servers.',
            commands: [cell.adminDeployment.name, cell.httpDeployment.name].map((deployment) =>
              kubectl('rollout', 'status', `deployment/${deployment}`, '--timeout=10m'),
            ),
          },
          {
            text: `Watch the model servers until all are Running, ${String(replicas)} of ${String(slice.hosts)} ${slice.hosts === 1 ? 'pod' : 'pods'} each: a model is published on those that are there.`,
            commands: [kubectl('get', 'pods', '-l', `jobset.sigs.k8s.io/jobset-name=${name}`, '--watch')],
          },
        ],
        call: [
          endpoint.open,
          step(
            `Publish a model on ${replicas === 1 ? 'the slice' : `the ${String(replicas)} slices`}, which takes up to ten minutes.${fits ? ' This one has random weights.' : ''}`,
            '/publish',
            { model, model_path: published.path, checkpoint: published.checkpoint, replicas },
          ),
          {
            text: 'See whether it was loaded: `Successfully loaded model`, once for each slice.',
            commands: [
              kubectl(
                'logs',
                '-l',
                `jobset.sigs.k8s.io/jobset-name=${name},batch.kubernetes.io/job-completion-index=0`,
                // of pods by label kubectl shows ten lines each otherwise
                '--tail=-1',
              ),
            ],
          },
          step('Ask how many servers have it: `active_replicas`.', '/listcell', { model }, 'GET'),
          step('Ask it.', '/generate', { model, query: 'How many days are in a week?' }),
          step('Take it away again.', '/unpublish', { model }),
        ],
        scale: [
          {
            text: 'A JobSet cannot be changed: delete it before applying other `replicas`. Published models are kept in the bucket and are loaded again.',
            commands: [kubectl('delete', 'jobset', name)],
          },
        ],
      },
    };
  };
