import { at, list, text } from '../../../manifest/manifest';
import { records } from '../../../manifest/pods';
import { parseYaml } from '../../../manifest/serve-config';
import { type Violation, defineRule } from '../../rule';

/** Fields of KubeRay's objects that contain YAML with runtime environments. */
const TEXTS = { RayService: 'serveConfigV2', RayJob: 'runtimeEnvYAML' } as const;
/** Archives of branches, which change with each commit. */
const BRANCH =
  /\/(?:archive\/(?:refs\/heads\/[^/]+|main|master|dev|develop|HEAD)\.(?:zip|tar\.gz)|zipball\/[^/]+|zip\/(?:refs\/heads\/[^/]+|main|master))$/;

export const TPU609 = defineRule({
  code: 'TPU609',
  title: 'the code that Ray downloads is pinned to a release',
  severities: ['warning'],
  kinds: ['RayService', 'RayJob'],
  nearTpus: true,
  check: function* (set) {
    for (const [kind, field] of Object.entries(TEXTS))
      for (const object of set.ofKind(kind)) {
        const source = text(object.manifest, 'spec', field) ?? '';
        // skips parsing for the many configurations without a URL
        if (!source.includes('://')) continue;
        const moving = [...new Set(urlsIn(parseYaml(source).value))].filter((url) => BRANCH.test(url));
        if (moving.length > 0) yield found(object, field, moving);
      }
  },
});

const found = (
  object: Violation['object'],
  field: string,
  urls: readonly string[],
): Violation<'warning'> => ({
  object,
  path: `spec.${field}`,
  message: `the cluster downloads its code from ${urls.map((url) => `'${url}'`).join(' and ')}, the archive of a branch, so pods that start later may run other code`,
  fix: 'use the archive of a tag or a commit',
});

/** The archives of all runtime environments in a configuration. */
const urlsIn = (config: unknown): readonly string[] =>
  [config, ...records(config, 'applications').map((application) => application['runtime_env'])].flatMap(
    (environment) =>
      [at(environment, 'working_dir'), ...list(environment, 'py_modules')].filter(
        (url) => typeof url === 'string',
      ),
  );
