import { type Problem, Problems, textOf } from '../problems/problems';
import { read } from '../problems/schema';
import { answerOf, applies, INIT_ANSWERS, type InitAnswers, type InitKey, optionOf } from './answers';
import {
  defaultGeneration,
  defaultModel,
  isSized,
  knownModel,
  modelOf,
  serverOf,
  tokenSecretOf,
} from './sizing';

/** Asks on a terminal; undefined if the input has ended. */
export type Ask = (question: string) => Promise<string | undefined>;

/** A question about one answer. */
interface Question {
  readonly key: InitKey;
  readonly text: string;
  /** Whether to ask the question, depending on earlier answers. @default - if the server has the option */
  readonly when?: (answers: InitAnswers) => boolean;
  /** The meaning of an empty reply, as shown to the user. */
  readonly fallback: (answers: InitAnswers) => string | undefined;
}

const QUESTIONS: readonly Question[] = [
  { key: 'server', text: 'Server: vllm, jetstream, saxml, ray or any', fallback: () => 'vllm' },
  {
    key: 'model',
    text: 'Model: a Hugging Face id, or gs://BUCKET/FOLDER for vllm',
    fallback: (answers) => defaultModel(answers) ?? 'none',
  },
  {
    key: 'modelSize',
    text: 'Size of its weights, like 16G',
    when: (answers) => !isSized(answers),
    fallback: () => undefined,
  },
  { key: 'generation', text: 'TPU generation: v4, v5e, v5p, v6e or tpu7x', fallback: defaultGeneration },
  {
    key: 'tokenSecret',
    text: 'Secret with a Hugging Face token, if the model requires one',
    when: (answers) =>
      modelOf(answers)?.startsWith('gs://') === false && knownModel(answers)?.gated !== false,
    fallback: (answers) => tokenSecretOf(answers) ?? 'none',
  },
  { key: 'namespace', text: 'Namespace', fallback: () => 'the one that you apply to' },
  {
    key: 'bucket',
    text: 'Bucket that keeps the weights',
    when: (answers) => modelOf(answers)?.startsWith('gs://') !== true,
    fallback: (answers) => (serverOf(answers) === 'saxml' ? undefined : 'none'),
  },
];

/** Returns the problems of one answer. */
function problemsWith(answers: InitAnswers, key: InitKey, reply: string): readonly Problem[] {
  const problems = new Problems();
  read(INIT_ANSWERS, { ...answers, [key]: answerOf(key, reply) }, problems);
  return problems.all.filter(({ path }) => path === key);
}

/**
 * Prompts for missing answers.
 *
 * @param say - prints why a reply is not accepted; the question follows again
 * @returns undefined if the input ends before the last question
 */
export async function askAll(
  given: InitAnswers,
  ask: Ask,
  say: (text: string) => void,
): Promise<InitAnswers | undefined> {
  let answers = given;
  for (const { key, text, when = () => true, fallback } of QUESTIONS) {
    if (answers[key] !== undefined || !applies(key, serverOf(answers)) || !when(answers)) continue;
    const shown = fallback(answers);
    for (let isAnswered = false; !isAnswered;) {
      const reply = (await ask(`${text}${shown === undefined ? '' : ` (${shown})`}: `))?.trim();
      if (reply === undefined) return undefined;
      const problems: readonly Problem[] =
        reply !== ''
          ? problemsWith(answers, key, reply)
          : shown === undefined
            ? [{ path: key, problem: 'required' }]
            : [];
      for (const problem of problems) say(textOf({ ...problem, path: optionOf(problem.path) }));
      isAnswered = problems.length === 0;
      if (isAnswered && reply !== '') answers = { ...answers, [key]: answerOf(key, reply) };
    }
  }
  return answers;
}
