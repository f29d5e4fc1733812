import { type Kubectl, type Operations } from '../../operations/operations';
import { nameOf } from '../../problems/schema';
import { licenceNote, type ServerNames, serverOperations } from '../operations';
import { type JetStreamCheckpoint } from './checkpoint';
import { type JetStreamCheckpointConverterProps } from './converter-props';
import { type AnyJetStreamProps } from './props';

/** Returns the requirements of a JetStream server, and the steps to run and call it. */
export const jetStreamOperations =
  (
    server: ServerNames,
    props: AnyJetStreamProps,
    facts: { readonly port: number; readonly startupSeconds: number; readonly notes: readonly string[] },
  ) =>
  (kubectl: Kubectl): Operations => {
    const { checkpoint, model, images } = props;
    const path = '/generate';
    const common = serverOperations(kubectl, server, props, {
      ...facts,
      waitsFor: checkpoint === undefined ? [] : ['the checkpoint'],
      containers: ['jetstream-http', 'jetstream-pytorch-server'],
      call: { path, body: { prompt: 'What are the top 5 programming languages', max_tokens: 200 } },
      load: { path, body: { prompt: 'Write a story about san francisco', max_tokens: 100 } },
    });
    return {
      ...common,
      images: [images?.server, images?.http].filter((image) => image !== undefined),
      ...(checkpoint !== undefined && 'gsUri' in checkpoint && { readsFolder: checkpoint.gsUri }),
      notes: [...(model === undefined ? [] : [licenceNote(model)]), ...facts.notes],
    };
  };

/**
 * Roles that the Job needs to write objects and to read the bucket's metadata.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/tutorials/serve-llm-tpu-jetstream-pytorch
 */
const CONVERTER_ROLES = ['roles/storage.objectUser', 'roles/storage.insightsCollectorService'] as const;

/** Returns the requirements of a checkpoint converter, and the steps to run it. */
export const converterOperations =
  (
    converter: { readonly job: { readonly name: string }; readonly checkpoint: JetStreamCheckpoint },
    props: JetStreamCheckpointConverterProps,
  ) =>
  (kubectl: Kubectl): Operations => {
    const { name } = converter.job;
    const { bucketName, gsUri } = converter.checkpoint;
    const account = props.serviceAccountName;
    return {
      slices: [{ slice: props.slice, capacity: props.capacity, replicas: 1 }],
      roles: [
        {
          bucketName,
          roles: CONVERTER_ROLES,
          ...(account !== undefined && { serviceAccountName: nameOf(account) }),
        },
      ],
      images: props.image === undefined ? [] : [props.image],
      writesFolder: gsUri,
      notes: [
        licenceNote(props.model),
        `Job \`${name}\` needs its own slice until it is complete. If the node pool has only one slice for each server, run the Job first, and apply the servers when the Job is complete.`,
      ],
      steps: {
        verify: [
          {
            text: `Watch Job \`${name}\` until its pod is Running. The pod waits for a node and has no logs before that.`,
            commands: [kubectl('get', 'pods', '-l', `job-name=${name}`, '--watch')],
          },
          {
            text: `Follow Job \`${name}\`, which writes to \`${gsUri}\`. A server that starts before the Job is complete exits, and Kubernetes restarts it until the checkpoint exists.`,
            commands: [kubectl('logs', '-f', `jobs/${name}`)],
          },
          {
            text: 'Wait until the Job is complete.',
            commands: [kubectl('wait', `job/${name}`, '--for=condition=complete', '--timeout=2h')],
          },
        ],
        change: [
          {
            text: `A Job cannot be changed, so applying another image, slice or model fails with \`field is immutable\`. Delete Job \`${name}\` first. The next apply converts the checkpoint again.`,
            commands: [kubectl('delete', 'job', name)],
          },
        ],
        troubleshoot: [
          {
            text: `If the pod of Job \`${name}\` stays Pending, a server may be using the slice that the Job needs. Stop the server, and restore its replicas when the Job is complete.`,
            commands: [kubectl('scale', 'deployment/SERVER', '--replicas=0')],
            placeholders: { SERVER: 'name of a Deployment that uses a slice of the same node pool' },
          },
        ],
      },
    };
  };
