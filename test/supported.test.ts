import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CONTROLLERS, type ControllerRequirement } from '../lib/facts/controllers';
import { FLEX_START_MINIMUM_GKE_VERSION, GENERATIONS } from '../lib/tpu/generations';
import { expectPage, root, table } from './pages';

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const { peerDependencies: peers, engines } = JSON.parse(read('package.json')) as {
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
};

/** The release of a program that the cluster tests build. */
const built = (program: string, module: string): string =>
  new RegExp(`\\b${module} (v[\\d.]+)`).exec(read(`test/cluster/tools/${program}/go.mod`))?.[1] ?? '';

/** The Node versions of the CI matrix. */
const nodes = /node: \[(.*)\]/.exec(read('.github/workflows/ci.yml'))?.[1] ?? '';
/** The TypeScript versions of the blank projects that use the package. */
const compilers = [...read('scripts/consumer.mjs').matchAll(/typescript: '([\d.]+)'/g)].map(
  ([, one = '']) => one,
);

/** The oldest release of a peer that the blank projects install. */
const oldest = (name: string): string =>
  new RegExp(`oldest = [^}]*\\b${name}'?: '([\\d.]+)'`).exec(read('scripts/consumer.mjs'))?.[1] ?? '';

const controller = (
  { name, minimumVersion }: ControllerRequirement,
  tested: string,
  need: string,
): readonly string[] => [name, minimumVersion, tested, need];

const gke = Object.entries(GENERATIONS).flatMap(([generation, facts]): (readonly string[])[] =>
  'minimumGkeVersion' in facts
    ? [
        [
          `GKE`,
          facts.minimumGkeVersion.standard,
          '-',
          `TPU ${generation}; Autopilot: ${facts.minimumGkeVersion.autopilot}`,
        ],
      ]
    : [],
);

const rows: readonly (readonly string[])[] = [
  ...gke,
  ['GKE', FLEX_START_MINIMUM_GKE_VERSION, '-', 'flex-start'],
  ['Kubernetes', 'v1.29', built('kubernetes', 'k8s.io/kubernetes'), 'the fields of the manifests'],
  controller(CONTROLLERS.jobSet, built('jobset', 'sigs.k8s.io/jobset'), 'Saxml, and Jobs on several slices'),
  controller(CONTROLLERS.leaderWorkerSet, built('lws', 'sigs.k8s.io/lws'), 'servers on several hosts'),
  controller(CONTROLLERS.rayService, built('kuberay', 'ray-operator'), 'RayService'),
  controller(CONTROLLERS.rayCluster, built('kuberay', 'ray-operator'), 'RayCluster and RayJob'),
  controller(CONTROLLERS.kueue, built('kueue', 'sigs.k8s.io/kueue'), 'queues'),
  ['Node', engines.node, nodes, 'the package'],
  ['TypeScript', compilers[0] ?? '', compilers.slice(1).join(', '), 'typed apps; JavaScript works too'],
  ...Object.entries(peers).map(([name, range]) => [
    name,
    range,
    `${oldest(name)} and the newest`,
    'a peer dependency',
  ]),
];

test('docs/supported.md lists releases: when this fails, run npm run docs and commit it', () => {
  expect(rows.flat()).not.toContain('');
  const head = ['what', 'oldest', 'tested with', 'needed for'];
  expectPage('docs/supported.md', (now) =>
    now.replace(/\| what [^\n]*\n(\|.*\n)+/, `${table(head, rows)}\n`),
  );
});
