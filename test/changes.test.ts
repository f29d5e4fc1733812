import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Chart, Testing } from 'cdk8s';
import {
  FlexStartJob,
  HuggingFaceToken,
  JetStreamCheckpointConverter,
  JetStreamServer,
  Runbook,
  SaxCell,
  TpuJob,
  TpuRayService,
  TpuSlice,
  VllmServer,
} from '../lib';

// Limits of the control plane that no manifest can prevent, so users must know them. The docs and the runbook of each chart state them.

const docs = (page: string): string =>
  readFileSync(path.join(__dirname, '..', 'docs', page), 'utf8').replace(/\s+/g, ' ');

const runbook = (add: (chart: Chart) => void): string => {
  const chart = new Chart(Testing.app(), 'chart');
  add(chart);
  return new Runbook(chart, { mode: 'standard' }).toString();
};

const TOKEN = HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token');
const V6E = TpuSlice.of('ct6e-standard-8t');
const vllm = (): string =>
  runbook((chart) => {
    new VllmServer(chart, 'llama', {
      model: 'meta-llama/Llama-3.1-8B',
      slice: V6E,
      maxModelLen: 8192,
      replicas: 2,
      huggingFaceToken: TOKEN,
    });
  });
const ray = (): string =>
  runbook((chart) => {
    new TpuRayService(chart, 'chat', {
      serveConfig: { applications: [{ name: 'chat', importPath: 'chat:app' }] },
      image: 'rayproject/ray:2.55.0',
      workerGroups: [{ groupName: 'tpu', slice: V6E }],
    });
  });

describe('the docs and the runbook explain', () => {
  test('why a rolling update hangs while a replica is Pending', () => {
    expect(docs('systems/vllm.md')).toContain('Raise `rollout.maxUnavailable`');
    expect(docs('rules/TPU305.md')).toContain('A pod that is Pending counts as unavailable');
    expect(vllm()).toContain('If a rolling update of `llama` hangs, look for Pending pods.');
  });

  test('that drains do not wait for replicas that start', () => {
    expect(docs('defaults.md')).toContain('`unhealthyPodEvictionPolicy: AlwaysAllow`');
    expect(docs('rules/TPU335.md')).toContain('`unhealthyPodEvictionPolicy: AlwaysAllow`');
  });

  test('why a Saxml cell has no limit of restarts', () => {
    expect(docs('systems/saxml.md')).toContain('would count over the whole life of the JobSet');
    expect(docs('deviations.md')).toContain(
      'the cell would fail permanently at the fifth eviction of a host',
    );
  });

  test('how a load balancer changes the addresses of clients', () => {
    expect(docs('systems/vllm.md')).toContain('`externalTrafficPolicy: Local`: otherwise requests arrive');
  });

  test('which ports of a Saxml cell its policies cover', () => {
    expect(docs('systems/saxml.md')).toContain(
      'the other the admin server (port 10000) and the model servers',
    );
  });

  test('that KubeRay ignores changed replicas', () => {
    expect(docs('systems/ray.md')).toContain(
      'KubeRay ignores a changed `replicas`, `minReplicas` or `maxReplicas` in a running RayService, and no event reports it.',
    );
    expect(ray()).toContain(
      'KubeRay does not apply this change to a running RayService, and no event reports it, so also patch the RayCluster',
    );
  });

  test.each([
    [
      'a flex-start Job',
      'systems/flex-start.md',
      (chart: Chart): void => {
        new FlexStartJob(chart, 'train', { image: 'example/train:v1', slice: V6E });
      },
    ],
    [
      'a checkpoint converter',
      'systems/jetstream.md',
      (chart: Chart): void => {
        new JetStreamCheckpointConverter(chart, 'converter', {
          model: 'google/gemma-7b-it-pytorch',
          modelName: 'gemma',
          bucketName: 'my-models',
          path: 'gemma',
          huggingFaceToken: TOKEN,
          slice: TpuSlice.of('ct5lp-hightpu-1t'),
        });
      },
    ],
    [
      'a Job on several slices',
      'systems/jobs.md',
      (chart: Chart): void => {
        new TpuJob(chart, 'train', { image: 'example/train:v1', slice: V6E, slices: 2 });
      },
    ],
  ])('that %s is immutable', (_, page, add) => {
    expect(docs(page)).toMatch(
      /cannot be changed: an apply .* fails with `field is immutable`|A Job is immutable/,
    );
    expect(runbook(add)).toContain('fails with `field is immutable`');
  });

  test('the order in which a converter and a server use one pool', () => {
    expect(docs('systems/jetstream.md')).toContain('server and Job would wait for each other');
    expect(docs('systems/jetstream.md')).toContain('Apply the server when the Job is complete');
    const both = runbook((chart) => {
      const slice = TpuSlice.of('ct5lp-hightpu-1t');
      const { checkpoint } = new JetStreamCheckpointConverter(chart, 'converter', {
        model: 'google/gemma-7b-it-pytorch',
        modelName: 'gemma',
        bucketName: 'my-models',
        path: 'gemma',
        huggingFaceToken: TOKEN,
        slice,
      });
      new JetStreamServer(chart, 'gemma', { checkpoint, size: '7b', slice });
    });
    const order = [
      'If the node pool has only one slice for each server, run the Job first, and apply the servers when the Job is complete.',
      'Watch Job `converter` until its pod is Running.',
      'A server that starts before the Job is complete exits, and Kubernetes restarts it until the checkpoint exists.',
      'If the pod of Job `converter` stays Pending, a server may be using the slice that the Job needs. Stop the server, and restore its replicas when the Job is complete.',
    ].map((sentence) => both.indexOf(sentence));
    expect(order.every((index) => index >= 0)).toBe(true);
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(both).toContain('kubectl scale "deployment/$SERVER"');
  });

  test('how to move a RayService to server-side apply', () => {
    expect(docs('systems/ray.md')).toContain("set `kubeRayVersion: '1.7.0'`");
  });

  test('why no default waits longer than four hours for a start', () => {
    expect(docs('defaults.md')).toContain('from half an hour to four hours');
    expect(docs('rules/TPU312.md')).toContain('failed `failureThreshold` times');
  });

  test('that a change of a Saxml cell requires its deletion', () => {
    const cell = runbook((chart) => {
      new SaxCell(chart, 'sax', {
        bucketName: 'models',
        serviceAccountName: 'sax',
        slice: TpuSlice.of('ct5lp-hightpu-4t', '4x8'),
      });
    });
    expect(cell).toContain('cannot be changed');
  });
});
