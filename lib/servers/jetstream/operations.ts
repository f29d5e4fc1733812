import { type Kubectl, type Operations } from '../../operations/operations';
import { licenceNote, serverOperations } from '../operations';
import { type CheckpointConverter, type CheckpointConverterProps } from './checkpoint-converter';
import { type JetStreamServer, type JetStreamServerProps } from './server';

/** What a JetStream server needs, and what is done with it. */
export const jetStreamOperations =
  (
    server: JetStreamServer,
    props: JetStreamServerProps,
    facts: { readonly port: number; readonly startupSeconds: number },
  ) =>
  (kubectl: Kubectl): Operations => {
    const path = '/generate';
    const common = serverOperations(kubectl, server, props, {
      ...facts,
      waitsFor: props.checkpoint === undefined ? [] : ['its checkpoint'],
      containers: ['jetstream-http', 'jetstream-pytorch-server'],
      call: { path, body: { prompt: 'What are the top 5 programming languages', max_tokens: 200 } },
      load: { path, body: { prompt: 'Write a story about san francisco', max_tokens: 100 } },
    });
    return { ...common, notes: props.modelId === undefined ? [] : [licenceNote(props.modelId)] };
  };

/**
 * What the Job writes with: objects, and the bucket's own metadata.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/tutorials/serve-llm-tpu-jetstream-pytorch
 */
const CONVERTER_ROLES = ['roles/storage.objectUser', 'roles/storage.insightsCollectorService'] as const;

/** What a checkpoint converter needs, and what is done with it. */
export const converterOperations =
  (converter: CheckpointConverter, props: CheckpointConverterProps) =>
  (kubectl: Kubectl): Operations => {
    const { name } = converter.job;
    const { bucketName, gsUri } = converter.checkpoint;
    return {
      slices: [{ slice: props.slice, capacity: props.capacity, replicas: 1 }],
      roles: [{ bucketName, roles: CONVERTER_ROLES, serviceAccountName: props.serviceAccountName }],
      images: props.image === undefined ? [] : [props.image],
      notes: [licenceNote(props.model)],
      steps: {
        verify: [
          {
            text: `Watch Job \`${name}\` until its pod is Running: it waits for a node, and has no logs before.`,
            commands: [kubectl('get', 'pods', '-l', `job-name=${name}`, '--watch')],
          },
          {
            text: `Follow Job \`${name}\`, which writes to \`${gsUri}\`. A server that starts before it has ended exits, and is restarted until the checkpoint is there.`,
            commands: [kubectl('logs', '-f', `jobs/${name}`)],
          },
          {
            text: 'Wait until it is complete.',
            commands: [kubectl('wait', `job/${name}`, '--for=condition=complete', '--timeout=2h')],
          },
        ],
      },
    };
  };
