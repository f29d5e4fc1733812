import { at, list, text } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { parseYaml } from '../../../manifest/serve-config';

export const TPU604 = defineRule({
  code: 'TPU604',
  title: 'the serveConfigV2 of a RayService has applications',
  severities: ['error'],
  kinds: ['RayService'],
  check: function* (set) {
    const read = new Map<unknown, readonly ServeProblem[]>();
    for (const object of set.ofKind('RayService')) {
      const config = at(object.manifest, 'spec', 'serveConfigV2');
      const problems = read.get(config) ?? serveProblems(config);
      read.set(config, problems);
      for (const { path = '', message, fix } of problems)
        yield { object, path: `spec.serveConfigV2${path}`, message, fix };
    }
  },
});

interface ServeProblem {
  /** Path in the configuration. */
  readonly path?: string;
  readonly message: string;
  readonly fix: string;
}

/** Problems of a Serve configuration. */
function serveProblems(config: unknown): readonly ServeProblem[] {
  const fix =
    'add an application with its import_path: `applications: [{name: NAME, import_path: MODULE:APP}]`';
  if (config !== undefined && typeof config !== 'string')
    return [
      {
        message: 'serveConfigV2 is not a string',
        fix: 'write serveConfigV2 as a block of text, `serveConfigV2: |`',
      },
    ];
  const { value, problem } = parseYaml(config ?? '');
  if (problem !== undefined)
    return [
      {
        message: `serveConfigV2 is not valid YAML, so its applications never start: ${problem}`,
        fix: 'correct the YAML in serveConfigV2',
      },
    ];
  const applications = list(value, 'applications');
  if (applications.length === 0)
    return [{ message: 'serveConfigV2 has no application, so the cluster serves nothing', fix }];
  return applications.flatMap((application, index) => {
    const name = text(application, 'name') ?? String(index);
    return (text(application, 'import_path') ?? '') === ''
      ? [
          {
            path: `.applications[${name}]`,
            message: `application '${name}' has no import_path`,
            fix: 'set import_path to MODULE:APP',
          },
        ]
      : [];
  });
}
