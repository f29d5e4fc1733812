import { type Kubectl, type Operations } from '../../operations/operations';
import { licenceNote, type ServerNames, serverOperations } from '../operations';
import { type VllmServerProps } from './props';

/** What a vLLM server needs, and the steps to run and call it. */
export const vllmOperations =
  (
    server: ServerNames,
    props: VllmServerProps,
    facts: { readonly port: number; readonly startupSeconds: number; readonly notes: readonly string[] },
  ) =>
  (kubectl: Kubectl): Operations => {
    const { model, servedModelName = model, huggingFaceToken } = props;
    const path = '/v1/completions';
    const body = { model: servedModelName, temperature: 0 };
    const common = serverOperations(kubectl, server, props, {
      ...facts,
      containers: ['vllm'],
      call: { path, body: { ...body, prompt: 'San Francisco is a', max_tokens: 7 } },
      load: { path, body: { ...body, prompt: 'Write a story about san francisco', max_tokens: 100 } },
    });
    return {
      ...common,
      notes: [...(huggingFaceToken ? [licenceNote(model)] : []), ...facts.notes],
    };
  };
