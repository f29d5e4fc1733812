#!/usr/bin/env node
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { isatty } from 'node:tty';
import { Command, CommanderError, Option } from 'commander';
import { baselineOf, sinceBaseline } from './checks/baseline';
import { type Finding, findingsIn } from './checks/check';
import {
  atLeast,
  fails,
  githubReport,
  jsonReport,
  type Report,
  sarifReport,
  textReport,
  unreadableInWords,
} from './checks/report';
import { type Severity } from './checks/rule';
import { RULES, SYNTH_RULES } from './checks/rules';
import { INIT_OPTIONS, type InitKey, optionOf } from './init/answers';
import { init, initAsking, type InitRequest } from './init/init';
import { type Ask } from './init/questions';
import { type Reading, readPaths } from './manifest/read';
import { planOf } from './plan/plan';
import { planJson, planTable } from './plan/report';
import { nearestWords } from './problems/nearest';
import { codeOf, isInvalidInput, type Problem, textOf } from './problems/problems';
import { oneLine } from './problems/shown';
import { count } from './tpu/topology';

/** Input and output of the program. */
export interface ProgramIo {
  readonly stdin: () => Uint8Array;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Whether the output is a terminal that shows colors. @default false */
  readonly color?: boolean;
  /** Columns of the terminal. @default - no limit */
  readonly columns?: number | undefined;
  /** Asks the user on a terminal; `talk` returns the exit code. @default - not on a terminal: asks nothing */
  readonly talk?: ((talk: (ask: Ask) => Promise<number>) => void) | undefined;
}

const PROCESS: ProgramIo = {
  // Uses the file descriptor, because reading process.stdin makes it non-blocking.
  stdin: () => readFileSync(0),
  stdout: (text) => heard(process.stdout).write(text),
  stderr: (text) => heard(process.stderr).write(text),
  color: usesColor(process.env, process.stdout.isTTY),
  columns: process.stdout.isTTY ? process.stdout.columns : undefined,
  talk: isatty(0) && process.stdout.isTTY ? talkOnTerminal : undefined,
};

/** A stream whose errors are listened to, once for many writes. */
const heard = (stream: NodeJS.WriteStream): NodeJS.WriteStream =>
  stream.listeners('error').includes(unlessClosed) ? stream : stream.on('error', unlessClosed);

/**
 * Whether to color the output: on a terminal, unless NO_COLOR or TERM=dumb is set. FORCE_COLOR overrides both.
 *
 * @see https://no-color.org
 * @see https://nodejs.org/api/tty.html#writestreamgetcolordepthenv
 */
export function usesColor(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  const { FORCE_COLOR: forced = '', NO_COLOR: refused = '', TERM: term } = env;
  if (forced !== '') return forced !== '0' && forced !== 'false';
  return isTerminal && refused === '' && term !== 'dumb';
}

/** Asks line by line until `talk` ends. The input can end earlier. */
function talkOnTerminal(talk: (ask: Ask) => Promise<number>): void {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new Promise<undefined>((resolve) => {
    terminal.once('close', () => {
      resolve(undefined);
    });
  });
  const ask: Ask = (question) =>
    Promise.race([terminal.question(question).catch((): undefined => undefined), closed]);
  void talk(ask).then((code) => {
    process.exitCode = code;
    terminal.close();
  });
}

/** Ignores a closed pipe: the reader, like `head`, may not need the rest. */
function unlessClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/**
 * Runs the command line.
 *
 * @returns the exit code: 0, 1 if errors are found, 2 if input is missing, not valid or not readable
 */
export function run(argv: readonly string[], io: ProgramIo = PROCESS): number {
  let code = 0;
  const program = new Command('cdk8s-tpu-serving')
    .description(
      'Creates projects for model servers on Cloud TPUs, checks Kubernetes manifests, and counts the TPUs that they need.',
    )
    .version(version())
    .exitOverride()
    .configureOutput({ writeOut: io.stdout, writeErr: io.stderr })
    .showHelpAfterError('(see --help)');
  addInit(program, (request) => {
    if (io.talk === undefined) code = init(request, io);
    else io.talk((ask) => initAsking(request, io, ask));
  });
  addCheck(program, (paths, options) => {
    code = check(paths, options, io);
  });
  program
    .command('plan')
    .description(
      'Lists the slices, chips, hosts and node pools that manifests need, and the share of memory that the weights use.',
    )
    .argument('[path...]', 'files and folders, as for check')
    .addOption(
      new Option('-f, --format <format>', 'format of the output').choices(['table', 'json']).default('table'),
    )
    .addHelpText('after', '\nExits with 2 if it cannot read a file. To find mistakes, use check.')
    .action((paths: readonly string[], { format }: { readonly format: string }) => {
      code = plan(orDist(paths), format, io);
    });
  program
    .command('explain')
    .description('Prints the page of a rule: its reason, and examples.')
    .argument('<code>', 'code of a rule, like TPU301')
    .action((rule: string) => {
      code = explain(rule, io);
    });
  try {
    program.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
  return code;
}

function addInit(program: Command, action: (request: InitRequest) => void): void {
  const command = program
    .command('init')
    .description(
      'Creates a project that renders a model server. On a terminal, prompts for missing options. Never overwrites a file.',
    )
    .argument('[folder]', 'a new or empty folder (default: the current one)')
    .allowUnknownOption()
    .allowExcessArguments();
  for (const [key, { value, description }] of Object.entries(INIT_OPTIONS))
    command.option(`${optionOf(key)} <${value}>`, description);
  command.addHelpText('after', '\nExits with 2 if it writes nothing.').action(() => {
    // The arguments include unknown options.
    action({ args: command.args, options: command.opts<Partial<Record<InitKey, string>>>(), root: root() });
  });
}

interface CheckOptions {
  readonly format: string;
  readonly verbose: boolean;
  readonly strict: boolean;
  readonly minSeverity: Severity;
  readonly baseline?: string;
  readonly updateBaseline: boolean;
}

function addCheck(program: Command, action: (paths: readonly string[], options: CheckOptions) => void): void {
  program
    .command('check')
    .description(
      'Finds mistakes in TPU manifests that schema validation does not find. Checks all arguments together.',
    )
    .argument(
      '[path...]',
      'files, folders with all .yaml, .yml and .json files below them (except node_modules and names that start with a dot), and - for the standard input; dist if no path is given',
    )
    .addOption(
      new Option('-f, --format <format>', 'format of the findings')
        .choices(['text', 'json', 'sarif', 'github'])
        .default('text'),
    )
    .addOption(
      new Option('--min-severity <severity>', 'leave out findings below this severity')
        .choices(['error', 'warning', 'note'])
        .default('note'),
    )
    .option('--strict', 'fail on warnings too', false)
    .option(
      '--baseline <file>',
      'leave out the findings in the file, which is a baseline or an earlier JSON report',
    )
    .option(
      '--update-baseline',
      'write all findings to the file of --baseline, and do not fail on them',
      false,
    )
    .option('-v, --verbose', 'list accepted findings, with their reasons', false)
    .addHelpText(
      'after',
      '\nExits with 1 if it finds an error that is not accepted, and with 2 if it cannot read a file or finds nothing to check.',
    )
    .action((paths: readonly string[], options: CheckOptions) => {
      action(orDist(paths), options);
    });
}

/** Returns the default path, the output folder of cdk8s, if no path is given. */
const orDist = (paths: readonly string[]): readonly string[] => (paths.length > 0 ? paths : ['dist']);

function check(paths: readonly string[], options: CheckOptions, io: ProgramIo): number {
  const { format, verbose, strict, minSeverity } = options;
  const { objects, unreadable } = readPaths(paths, io.stdin);
  const all = atLeast(findingsIn(objects), minSeverity);
  const findings = notKnown(all, options, { objects, unreadable }, io);
  if (findings === undefined) return 2;
  const report: Report = {
    findings,
    unreadable,
    objects: objects.filter(({ kind }) => kind !== '').length,
    ...(options.baseline !== undefined && { known: all.length - findings.length }),
  };
  if (format === 'json') io.stdout(jsonReport(report));
  else if (format === 'sarif') io.stdout(sarifReport(report, [...RULES, ...SYNTH_RULES], version()));
  else if (format === 'github') io.stdout(githubReport(report));
  else io.stdout(textReport(report, { verbose, color: io.color === true }));
  if (complain({ objects, unreadable }, io)) return 2;
  return fails(report, strict) ? 1 : 0;
}

/** Returns the findings that a baseline does not have; undefined, after a message, if the baseline cannot be used. */
function notKnown(
  all: readonly Finding[],
  { baseline, updateBaseline }: CheckOptions,
  { objects, unreadable }: Reading,
  io: ProgramIo,
): readonly Finding[] | undefined {
  if (baseline === undefined) {
    if (updateBaseline) io.stderr('--update-baseline: needs --baseline FILE\n');
    return updateBaseline ? undefined : all;
  }
  const say = (text: string): void => {
    io.stderr(`${oneLine(baseline)}: ${text}\n`);
  };
  try {
    // If something was not read, its findings would be missing in the file.
    if (updateBaseline && unreadable.length === 0 && objects.length > 0) {
      // Do not overwrite a manifest that was named by mistake.
      if (existsSync(baseline)) sinceBaseline([], readFileSync(baseline, 'utf8'));
      const { text, count: entries } = baselineOf(all);
      writeFileSync(baseline, text);
      say(`wrote ${count(entries, 'finding')}`);
    }
    const left = sinceBaseline(all, readFileSync(baseline, 'utf8'));
    if (!updateBaseline) say(`left out ${count(all.length - left.length, 'finding')}`);
    return left;
  } catch (error) {
    for (const problem of baselineProblems(error, updateBaseline)) say(textOf(problem));
    return undefined;
  }
}

/** Returns what is wrong with the file of a baseline, from the error of reading or writing it. */
function baselineProblems(error: unknown, isWritten: boolean): readonly Problem[] {
  if (isInvalidInput(error)) return error.problems;
  const code = codeOf(error);
  if (code === undefined) throw error;
  if (code === 'EISDIR') return [{ path: '', problem: 'is a folder', use: 'the path of a file' }];
  if (code === 'ENOENT' && !isWritten)
    return [{ path: '', problem: 'does not exist', use: 'to create it with --update-baseline' }];
  return [{ path: '', problem: `cannot be ${isWritten ? 'written' : 'read'} (${code})` }];
}

function plan(paths: readonly string[], format: string, io: ProgramIo): number {
  const { objects, unreadable } = readPaths(paths, io.stdin);
  const known = objects.filter(({ kind }) => kind !== '');
  const planned = planOf(known);
  io.stdout(format === 'json' ? planJson(planned, unreadable) : planTable(planned, known.length, io.columns));
  return complain({ objects, unreadable }, io) ? 2 : 0;
}

/** Prints what could not be read, or that the input is empty, like a pipe after a failed command. Returns whether it printed something. */
function complain({ objects, unreadable }: Reading, io: ProgramIo): boolean {
  for (const problem of unreadable) io.stderr(`${unreadableInWords(problem)}\n`);
  if (unreadable.length === 0 && objects.length === 0)
    io.stderr('nothing to check: the input has no objects\n');
  return unreadable.length > 0 || objects.length === 0;
}

/** Prints the page of a rule, which the package contains. */
function explain(given: string, io: ProgramIo): number {
  const codes = [...RULES, ...SYNTH_RULES].map(({ code }) => code);
  const code = given.toUpperCase();
  if (!codes.includes(code)) {
    const [near] = nearestWords(code, codes);
    io.stderr(`unknown rule '${given}'${near === undefined ? '' : `; did you mean '${near}'?`}\n`);
    return 2;
  }
  const page = path.join(root(), 'docs', 'rules', `${code}.md`);
  io.stdout(readFileSync(page, 'utf8'));
  return 0;
}

/** Returns the folder of package.json, which is above lib/ and build/lib/. */
const root = (): string =>
  ['..', '../..']
    .map((up) => path.join(__dirname, up))
    .find((folder) => existsSync(path.join(folder, 'package.json'))) ?? '';

/** Returns the version in package.json. */
function version(): string {
  const file = path.join(root(), 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}

process.exitCode = require.main === module ? run(process.argv.slice(2)) : process.exitCode;
