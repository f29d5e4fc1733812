import { type Kubectl, type Operations } from '../../operations/operations';
import { licenceNote, serverOperations } from '../operations';
import { type VllmServer, type VllmServerProps } from './server';

/** What a vLLM server needs, and what is done with it. */
export const vllmOperations =
  (
    server: VllmServer,
    props: VllmServerProps,
    facts: { readonly port: number; readonly startupSeconds: number },
  ) =>
  (kubectl: Kubectl): Operations => {
    const { model, huggingFaceToken } = props;
    const path = '/v1/completions';
    const common = serverOperations(kubectl, server, props, {
      ...facts,
      containers: ['vllm'],
      call: { path, body: { model, prompt: 'San Francisco is a', max_tokens: 7, temperature: 0 } },
      load: {
        path,
        body: { model, prompt: 'Write a story about san francisco', max_tokens: 100, temperature: 0 },
      },
    });
    return {
      ...common,
      notes: huggingFaceToken ? [licenceNote(model)] : [],
    };
  };
