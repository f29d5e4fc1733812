#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { findingsIn } from './checks/check';
import { readPaths } from './manifest/read';
import {
  hasErrors,
  jsonReport,
  type Report,
  sarifReport,
  textReport,
  unreadableInWords,
} from './checks/report';
import { RULES } from './checks/rules';
import { planOf } from './plan/plan';
import { planJson, planTable } from './plan/report';

/** What a program reads and writes. */
export interface ProgramIo {
  readonly stdin: () => Uint8Array;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

const PROCESS: ProgramIo = {
  // by its number: asking process.stdin for it makes it one that does not wait
  stdin: () => readFileSync(0),
  stdout: (text) => process.stdout.once('error', unlessClosed).write(text),
  stderr: (text) => process.stderr.once('error', unlessClosed).write(text),
};

/** Whoever reads may have read enough, as head does. */
function unlessClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/**
 * Runs the command line.
 *
 * @returns the exit code: 0, 1 where something is found that cannot work, 2 where something cannot be read or is not understood
 */
export function run(argv: readonly string[], io: ProgramIo = PROCESS): number {
  let code = 0;
  const program = new Command('cdk8s-tpu-serving')
    .description('Checks Kubernetes manifests of model servers on Cloud TPUs, and counts what they take.')
    .version(version())
    .exitOverride()
    .configureOutput({ writeOut: io.stdout, writeErr: io.stderr })
    .showHelpAfterError('(see --help)');
  program
    .command('check')
    .description(
      'Finds in manifests what no schema sees. All arguments are one set: what one refers to may be in another.',
    )
    .argument(
      '[path...]',
      'files, folders with all .yaml, .yml and .json files below them (but for node_modules and names that start with a dot), and - for the standard input; dist where none is given',
    )
    .addOption(
      new Option('-f, --format <format>', 'how to write what is found')
        .choices(['text', 'json', 'sarif'])
        .default('text'),
    )
    .option('-v, --verbose', 'list what is accepted, with its reason', false)
    .addHelpText(
      'after',
      '\nExits with 1 where an error is found that is not accepted, with 2 where something cannot be read.',
    )
    .action(
      (
        paths: readonly string[],
        { format, verbose }: { readonly format: string; readonly verbose: boolean },
      ) => {
        code = check(orDist(paths), format, verbose, io);
      },
    );
  program
    .command('plan')
    .description(
      'Says which slices, chips, hosts and node pools manifests take, and how full their memory is.',
    )
    .argument('[path...]', 'as for check')
    .addOption(
      new Option('-f, --format <format>', 'how to write it').choices(['table', 'json']).default('table'),
    )
    .addHelpText('after', '\nExits with 2 where something cannot be read; what is wrong is what check finds.')
    .action((paths: readonly string[], { format }: { readonly format: string }) => {
      code = plan(orDist(paths), format, io);
    });
  try {
    program.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
  return code;
}

/** What cdk8s renders into, where no path is given. */
const orDist = (paths: readonly string[]): readonly string[] => (paths.length > 0 ? paths : ['dist']);

function check(paths: readonly string[], format: string, verbose: boolean, io: ProgramIo): number {
  const { objects, unreadable } = readPaths(paths, io.stdin);
  const report: Report = {
    findings: findingsIn(objects),
    unreadable,
    objects: objects.filter(({ kind }) => kind !== '').length,
  };
  if (format === 'json') io.stdout(jsonReport(report));
  else if (format === 'sarif') io.stdout(sarifReport(report, RULES, version()));
  else io.stdout(textReport(report, verbose));
  for (const problem of unreadable) io.stderr(`${unreadableInWords(problem)}\n`);
  if (unreadable.length > 0) return 2;
  return hasErrors(report) ? 1 : 0;
}

function plan(paths: readonly string[], format: string, io: ProgramIo): number {
  const { objects, unreadable } = readPaths(paths, io.stdin);
  const known = objects.filter(({ kind }) => kind !== '');
  const planned = planOf(known);
  io.stdout(format === 'json' ? planJson(planned, unreadable) : planTable(planned, known.length));
  for (const problem of unreadable) io.stderr(`${unreadableInWords(problem)}\n`);
  return unreadable.length > 0 ? 2 : 0;
}

/** The version in package.json, which is above lib/ as it is above build/lib/. */
function version(): string {
  const file = ['..', '../..'].map((up) => path.join(__dirname, up, 'package.json')).find(existsSync) ?? '';
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}

process.exitCode = require.main === module ? run(process.argv.slice(2)) : process.exitCode;
