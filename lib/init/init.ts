import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { shellWord } from '../operations/shell-command';
import { nearestLabel } from '../problems/grammar';
import { nearestWords } from '../problems/nearest';
import {
  codeOf,
  InvalidInputError,
  isInvalidInput,
  type Problem,
  Problems,
  textOf,
} from '../problems/problems';
import { read } from '../problems/schema';
import { answerOf, INIT_ANSWERS, INIT_OPTIONS, type InitAnswers, type InitKey, optionOf } from './answers';
import { FILE_NAMES, filesOf } from './files';
import { type Ask, askAll } from './questions';
import { type ServerCode, serverCode } from './servers';
import { type Sized, sizeOf } from './sizing';

const PACKAGE = 'cdk8s-tpu-serving';

/** The contents of a command line. */
export interface InitRequest {
  /** Arguments that are not options, and options that `init` does not have. */
  readonly args: readonly string[];
  /** Values of options, by the name of their answer. */
  readonly options: Readonly<Partial<Record<InitKey, string>>>;
  /** Folder of this package. */
  readonly root: string;
}

/** The output of the program. */
export interface InitIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/**
 * Writes a new project into a folder, with defaults for missing options.
 *
 * @returns the exit code: 0, or 2 if nothing was written
 */
export const init = (request: InitRequest, io: InitIo): number =>
  orComplain(io, () => {
    const { folder, answers } = readRequest(request);
    io.stdout(writeProject(folder, answers, request.root));
    return 0;
  });

/** Like `init`, but prompts for missing options. */
export async function initAsking(request: InitRequest, io: InitIo, ask: Ask): Promise<number> {
  let given: ReturnType<typeof readRequest> | undefined;
  const code = orComplain(io, () => {
    given = readRequest(request, true);
    return 0;
  });
  if (given === undefined) return code;
  const { folder, answers } = given;
  const all = await askAll(answers, ask, (text) => {
    io.stderr(`${text}\n`);
  });
  if (all === undefined) {
    io.stderr('\nnothing was written\n');
    return 2;
  }
  return orComplain(io, () => {
    io.stdout(`\n${writeProject(folder, checked(all), request.root)}`);
    return 0;
  });
}

/** Prints the problems that `work` throws, one per line, with options instead of properties. */
function orComplain(io: InitIo, work: () => number): number {
  try {
    return work();
  } catch (error) {
    if (!isInvalidInput(error)) throw error;
    for (const problem of error.problems)
      io.stderr(
        `${textOf(problem.path in INIT_OPTIONS ? { ...problem, path: optionOf(problem.path) } : problem)}\n`,
      );
    return 2;
  }
}

/** Returns the folder and the answers of a command line. If `isAsking`, answers can be missing, because `init` prompts for them later. */
function readRequest(
  { args, options }: InitRequest,
  isAsking = false,
): { readonly folder: string; readonly answers: InitAnswers } {
  const problems = new Problems();
  const known = (Object.keys(INIT_OPTIONS) as InitKey[]).map(optionOf);
  const unknown = args.filter((one) => one.startsWith('-')).map((one) => one.replace(/=.*$/s, ''));
  for (const one of unknown) {
    const [nearest] = nearestWords(one, [...known, '--help']);
    problems.add({
      path: one,
      problem: 'unknown option',
      ...(nearest === undefined ? { use: '--help, which lists the options' } : { nearest }),
    });
  }
  const [folder = '.', ...more] = args;
  if (unknown.length === 0) {
    if (more.length > 0)
      problems.add({ path: 'folder', value: more[0], problem: 'is a second folder', use: 'one' });
    problems.add(folderProblem(folder));
  }
  const given = Object.fromEntries(
    Object.entries(options).map(([key, text]) => [key, answerOf(key as InitKey, text)]),
  );
  const answers = read(INIT_ANSWERS, given, problems) ?? {};
  const wrong = problems.all.filter(
    ({ path: at }) => !isAsking || given[at] !== undefined || !(at in INIT_OPTIONS),
  );
  if (wrong.length > 0) throw new InvalidInputError(wrong);
  return { folder, answers };
}

function checked(answers: InitAnswers): InitAnswers {
  const problems = new Problems();
  return problems.settle(read(INIT_ANSWERS, answers, problems));
}

/** Returns the problem of a folder that is blank, is a file, or has files that a project would overwrite. */
function folderProblem(folder: string): Problem | undefined {
  if (folder.trim() === '')
    return {
      path: 'folder',
      value: folder,
      problem: 'is blank',
      use: "a path, or '.' for the current folder",
    };
  try {
    const there = FILE_NAMES.filter((name) => exists(path.join(folder, name)));
    if (exists(folder) && lstatSync(folder).isFile())
      return { path: 'folder', value: folder, problem: 'is a file', use: 'a new or empty folder' };
    if (there.length === 0) return undefined;
    return {
      path: 'folder',
      value: folder,
      problem: `has ${all(there)} already, and init does not overwrite files`,
      use: 'a new or empty folder',
    };
  } catch (error) {
    return unwritable(error, folder);
  }
}

/** Whether there is a file, or a link whose target is missing. */
function exists(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return false;
    throw error;
  }
}

const all = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.slice(-1).join('')}`;

/** Writes the files of a project and returns a report. */
function writeProject(folder: string, answers: InitAnswers, root: string): string {
  const problems = new Problems();
  const sized = sizeOf(answers, problems);
  const code = sized && serverCode(answers, sized, problems);
  const made = problems.settle(sized && code && { sized, code });
  const facts = packageFacts(root, folder);
  const files = filesOf({
    name: nearestLabel(path.basename(path.resolve(folder))),
    code: made.code,
    chipsPerHost: made.sized.slice.chipsPerHost,
    ...facts,
  });
  try {
    for (const [name, text] of files) {
      const file = path.join(folder, name);
      makeFolder(path.dirname(file));
      // Never overwrite a file, even if it was created a moment ago.
      writeFileSync(file, text, { flag: 'wx' });
    }
  } catch (error) {
    throw new InvalidInputError([unwritable(error, folder)]);
  }
  const todo = [...made.code.todo, ...tarballTodo(facts.source)];
  return report(folder, made.sized, { ...made.code, todo });
}

/** The step that a pipeline needs if the package is a tarball outside of the project. */
const tarballTodo = (source: string): readonly string[] =>
  source.startsWith('file:../')
    ? [
        `For CI, copy ${source.slice('file:'.length)} into the project, run npm install on the copy, and commit it.`,
      ]
    : [];

/** Creates a folder and its parents. In `/proc`, `mkdirSync` with `recursive` does not return on Node 20. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(path.resolve(folder)));
  mkdirSync(folder);
}

/** Returns the problem of a folder that the system cannot read or write. */
function unwritable(error: unknown, folder: string): Problem {
  const code = codeOf(error);
  if (code === undefined) throw error;
  return {
    path: 'folder',
    value: folder,
    problem: `cannot be written (${code})`,
    use: 'a folder that you can write to',
  };
}

function report(folder: string, { slice, sentence, guess }: Sized, { charts, todo }: ServerCode): string {
  const [first = ''] = charts;
  const many = charts.length > 1;
  const enter = path.resolve(folder) === process.cwd() ? '' : `cd ${shellWord(folder)} && `;
  return [
    `wrote ${all(FILE_NAMES)}`,
    '',
    `slice: ${slice.toString()}`,
    `  ${sentence}`,
    ...(guess ? ['  The size is guessed from the name of the model. Set --model-size if it is wrong.'] : []),
    '',
    'next:',
    `  ${enter}npm install`,
    '  npm run synth',
    `  kubectl apply -f dist/${many ? `${first}.k8s.yaml` : ''}`,
    '',
    `The runbook dist/${first}.md, which synth also writes, has the other steps: cluster, node pool, Secrets, a first request.`,
    ...todo,
    '',
  ].join('\n');
}

// ---- this package -------------------------------------------------------------------------------------------------

/** Returns the facts about this package that a project needs. */
function packageFacts(
  root: string,
  folder: string,
): { readonly version: string; readonly source: string; readonly peers: Readonly<Record<string, string>> } {
  const { version, peerDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly peerDependencies: Readonly<Record<string, string>>;
  };
  return { version, peers: peerDependencies, source: tarballOf(root, folder) ?? `^${version}` };
}

/** Returns the tarball of this package as a dependency of a project in `folder`; undefined if it is installed from a registry. */
function tarballOf(root: string, folder: string): string | undefined {
  const modules = path.dirname(root);
  const lock = path.join(modules, '.package-lock.json');
  if (!existsSync(lock)) return undefined;
  const { packages = {} } = JSON.parse(readFileSync(lock, 'utf8')) as {
    readonly packages?: Readonly<Record<string, { readonly resolved?: string }>>;
  };
  const { resolved = '' } = packages[`${path.basename(modules)}/${PACKAGE}`] ?? {};
  if (!resolved.startsWith('file:')) return undefined;
  const tarball = path.resolve(path.dirname(modules), resolved.slice('file:'.length));
  const relative = path.relative(path.resolve(folder), tarball).split(path.sep).join('/');
  return `file:${relative}`;
}
