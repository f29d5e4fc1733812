import { type PodSecurityLevel } from '../../lib';
import { POD_SECURITY_LEVELS } from '../pod-security-levels';
import { type KubernetesObject } from './harness/api';
import { createAll } from './harness/apply';
import { api, isServed } from './harness/context';
import { inParallel } from './harness/each';
import { createNamespace, deleteNamespaces } from './harness/namespaces';
import { podsIn } from './harness/nodes';
import { converter, flexStartJob, jetStream, rayService, saxCell, tpuServer, vllm } from './harness/samples';
import { eventually } from './harness/wait';

// Each row of docs/pod-security.md: controllers create the pods in a namespace that enforces the level, and cannot in
// one that enforces the next level.

/** The pods of a row of the table. */
interface Subject {
  readonly objects: () => readonly KubernetesObject[];
  /** The same with the props of the last column. */
  readonly onRequest?: () => readonly KubernetesObject[];
  /** Selects the pods of the row. */
  readonly pods: string;
  /** The start of the names of what creates the pods. */
  readonly owner: string;
}

const SUBJECTS: Readonly<Record<string, Subject>> = {
  '`TpuServer`': {
    objects: () => tpuServer(),
    onRequest: () => tpuServer('restricted'),
    pods: 'app=server',
    owner: 'server',
  },
  '`VllmServer`': {
    objects: vllm,
    onRequest: () => vllm({ podSecurityLevel: 'restricted' }),
    pods: 'app=vllm',
    owner: 'vllm',
  },
  '`JetStreamServer`': {
    objects: () => jetStream(),
    onRequest: () => jetStream('restricted'),
    pods: 'app=jetstream',
    owner: 'jetstream',
  },
  '`JetStreamCheckpointConverter`': {
    objects: converter,
    pods: 'batch.kubernetes.io/job-name',
    owner: 'converter',
  },
  '`SaxCell` admin server': {
    objects: () => saxCell(),
    pods: 'app.kubernetes.io/component=admin',
    owner: 'sax-admin',
  },
  '`SaxCell` HTTP server': {
    objects: () => saxCell(),
    pods: 'app.kubernetes.io/component=http',
    owner: 'sax-http',
  },
  '`SaxCell` model servers': {
    objects: () => saxCell(),
    onRequest: () => saxCell({ podSecurityLevel: 'baseline', hostNetwork: false }),
    pods: 'jobset.sigs.k8s.io/jobset-name=sax',
    owner: 'sax-model-server',
  },
  '`TpuRayService`': { objects: rayService, pods: 'ray.io/cluster', owner: 'ray' },
  '`FlexStartJob`': {
    objects: () => flexStartJob(),
    onRequest: () => flexStartJob('privileged'),
    pods: 'batch.kubernetes.io/job-name=job',
    owner: 'job',
  },
};

const LEVELS: readonly PodSecurityLevel[] = ['privileged', 'baseline', 'restricted'];

/** What a row says: a level, and whether it admits the pods. */
const CASES = POD_SECURITY_LEVELS.flatMap(({ pods, level, onRequest }) => {
  const subject = SUBJECTS[pods];
  return [
    { pods, level, props: 'as rendered', subject, objects: subject?.objects },
    ...(onRequest
      ? [{ pods, level: onRequest.level, props: onRequest.props, subject, objects: subject?.onRequest }]
      : []),
  ].flatMap((row) => {
    const stricter = LEVELS[LEVELS.indexOf(row.level) + 1];
    return [
      { ...row, verdict: 'admits' },
      ...(stricter ? [{ ...row, level: stricter, verdict: 'refuses' }] : []),
    ];
  });
});

test('every row of the table has pods in this test', () => {
  expect(CASES.filter(({ objects }) => !objects).map(({ pods, props }) => `${pods} ${props}`)).toEqual([]);
});

/** Events about pods that Pod Security refuses, of objects whose names start so. */
const violations = async (namespace: string, owner: string): Promise<readonly string[]> =>
  (await api.list('v1', 'Event', namespace))
    .filter(
      (event) =>
        String(event['involvedObject'].name).startsWith(owner) &&
        String(event['message']).includes('violates PodSecurity'),
    )
    .map((event) => String(event['message']));

let namespaces: readonly string[];

beforeAll(async () => {
  namespaces = await inParallel(CASES, async ({ level, objects }) => {
    const namespace = await createNamespace(undefined, { 'pod-security.kubernetes.io/enforce': level });
    await createAll((objects?.() ?? []).filter(isServed), namespace);
    return namespace;
  });
});

afterAll(() => deleteNamespaces(...namespaces));

test.each(CASES.map((one, index) => ({ ...one, index })))(
  '$level $verdict the pods of $pods, $props',
  async ({ verdict, subject, index }) => {
    const namespace = namespaces[index] ?? '';
    const found = await eventually(
      async () => {
        const pods = await podsIn(namespace, subject?.pods);
        const refused = await violations(namespace, subject?.owner ?? '');
        return { admits: pods.length > 0, refuses: refused.length > 0 };
      },
      ({ admits, refuses }) => {
        expect(admits || refuses).toBe(true);
      },
    );
    expect(found).toEqual({ admits: verdict === 'admits', refuses: verdict === 'refuses' });
  },
);
