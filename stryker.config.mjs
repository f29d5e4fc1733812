// Mutation tests of one folder of lib/: npm run mutation. The tests are those of the folder, and a few others that test it.
import { createRequire } from 'node:module';

const jest = createRequire(import.meta.url)('./jest.config.js');

/** Folders of lib/, and the folders and files of test/ that test them. */
export const FOLDERS = {
  tpu: ['tpu', 'pod/capacity.test.ts'],
  pod: ['pod', 'workload', 'jobs', 'servers/tpu-server.test.ts', 'servers/any-server.test.ts'],
  problems: ['problems'],
  manifest: ['manifest', 'checks'],
};

const folder = process.env.MUTATION_FOLDER ?? 'problems';

export default {
  mutate: [`lib/${folder}/**/*.ts`],
  testRunner: 'jest',
  jest: {
    config: {
      ...jest,
      roots: ['<rootDir>/test'],
      testMatch: FOLDERS[folder].map((name) =>
        name.endsWith('.ts') ? `<rootDir>/test/${name}` : `<rootDir>/test/${name}/*.test.ts`,
      ),
      // Tests of the types start the compiler, which no mutant of what runs can change.
      testPathIgnorePatterns: [...jest.testPathIgnorePatterns, '/completion\\.test\\.ts$'],
    },
    enableFindRelatedTests: false,
  },
  coverageAnalysis: 'perTest',
  // A mutant that runs when its module loads, as in a table, needs all tests of the folder, one start of Jest each.
  ignoreStatic: true,
  concurrency: Number(process.env.MUTATION_CONCURRENCY ?? 2),
  // A busy machine is slow, and a mutant that only was too slow would count as found.
  timeoutMS: 20_000,
  incremental: true,
  incrementalFile: `temp/mutation/${folder}.json`,
  reporters: ['clear-text', 'json', 'html', 'progress'],
  clearTextReporter: { allowColor: false, logTests: false, allowEmojis: false },
  jsonReporter: { fileName: `temp/mutation/${folder}-report.json` },
  htmlReporter: { fileName: `temp/mutation/${folder}.html` },
  tempDirName: 'temp/stryker',
  ignorePatterns: ['dist', 'build', 'coverage', 'docs', 'api', 'bench'],
  thresholds: { high: 95, low: 85, break: 85 },
};
