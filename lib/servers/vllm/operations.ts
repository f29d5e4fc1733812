import { BUCKET_READER } from '../../facts/roles';
import { type Kubectl, type Operations } from '../../operations/operations';
import { bucketOfFolder } from '../../problems/grammar';
import { nameOf } from '../../problems/schema';
import { licenceNote, type ServerNames, serverOperations } from '../operations';
import { releaseOfProps } from './flags';
import { nameInRequests } from './streaming';
import { type VllmServerProps } from './props';

/** Returns a note if the tag of the image is not a known release. */
function releaseNotes(props: VllmServerProps): readonly string[] {
  const { recognized, tag } = releaseOfProps(props);
  return recognized
    ? []
    : [
        `The image tag of \`${props.name ?? 'vllm'}\` is not a known release of vLLM. The chart uses the flags and variables of ${tag} and skips the checks that depend on the release.`,
      ];
}

/** Returns the requirements of a vLLM server, and the steps to run and call it. */
export const vllmOperations =
  (
    server: ServerNames,
    props: VllmServerProps,
    facts: { readonly port: number; readonly startupSeconds: number; readonly notes: readonly string[] },
  ) =>
  (kubectl: Kubectl): Operations => {
    const { model, huggingFaceToken, apiKey, serviceAccountName } = props;
    const bucketName = bucketOfFolder(model);
    const path = '/v1/completions';
    const body = { model: nameInRequests(props), temperature: 0 };
    const common = serverOperations(kubectl, server, props, {
      ...facts,
      containers: ['vllm'],
      apiKey: apiKey && { secretName: nameOf(apiKey.secretName), key: apiKey.key },
      call: { path, body: { ...body, prompt: 'San Francisco is a', max_tokens: 7 } },
      load: { path, body: { ...body, prompt: 'Write a story about san francisco', max_tokens: 100 } },
    });
    return {
      ...common,
      ...(bucketName !== undefined && {
        readsFolder: model,
        roles: [
          {
            bucketName,
            roles: [BUCKET_READER],
            ...(serviceAccountName !== undefined && { serviceAccountName: nameOf(serviceAccountName) }),
          },
        ],
      }),
      notes: [...(huggingFaceToken ? [licenceNote(model)] : []), ...releaseNotes(props), ...facts.notes],
    };
  };
