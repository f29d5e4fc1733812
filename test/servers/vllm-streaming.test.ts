import { Chart } from 'cdk8s';
import { type Container } from 'cdk8s-plus-29/lib/imports/k8s';
import { App, Runbook, startupEstimate, TpuSlice, VllmServer, type VllmServerProps } from '../../lib';
import { refusal } from '../refusal';

const required = { model: 'gs://my-models/llama/Qwen3-4B', slice: TpuSlice.of('ct6e-standard-4t') };

function chartWith(props: Partial<VllmServerProps> = {}): Chart {
  const chart = new Chart(new App(), 'llama');
  new VllmServer(chart, 'server', { ...required, ...props });
  return chart;
}

interface PodSpec {
  readonly containers: readonly [Container];
  readonly volumes: readonly { readonly name: string }[];
}

function pod(props?: Partial<VllmServerProps>): PodSpec {
  const [deployment] = chartWith(props).toJson() as readonly {
    readonly spec: { readonly template: { readonly spec: PodSpec } };
  }[];
  if (deployment === undefined) throw new Error('nothing was rendered');
  return deployment.spec.template.spec;
}

const args = (props?: Partial<VllmServerProps>): readonly string[] => pod(props).containers[0].args ?? [];

describe('a model in a bucket', () => {
  test('is streamed under the last part of its path, without a volume for weights', () => {
    const { containers, volumes } = pod();
    expect(containers).toHaveLength(1);
    expect(containers[0].args).toEqual(
      expect.arrayContaining([
        '--model=gs://my-models/llama/Qwen3-4B',
        '--served-model-name=Qwen3-4B',
        '--load-format=runai_streamer',
      ]),
    );
    expect(volumes.map(({ name }) => name)).toEqual(['dshm']);
  });

  test('keeps the name and the loader that the user gives', () => {
    const given = args({ servedModelName: 'qwen', args: ['--load-format=runai_streamer_sharded'] });
    expect(given).toContain('--served-model-name=qwen');
    expect(given.filter((arg) => arg.startsWith('--load-format'))).toEqual([
      '--load-format=runai_streamer_sharded',
    ]);
  });

  test('allows time for one read of the weights, without a download', () => {
    const { slice } = required;
    const modelSize = '141G';
    const { budgetSeconds } = startupEstimate({
      slice: TpuSlice.of('ct6e-standard-8t'),
      modelSize,
      warmWeights: true,
    });
    expect(pod({ slice: TpuSlice.of('ct6e-standard-8t'), modelSize }).containers[0].env).toContainEqual({
      name: 'VLLM_ENGINE_READY_TIMEOUT_S',
      value: String(budgetSeconds),
    });
    expect(startupEstimate({ slice, modelSize }).totalSeconds).toBeGreaterThan(
      startupEstimate({ slice, modelSize, warmWeights: true }).totalSeconds,
    );
  });

  test('grants the ServiceAccount a role on the bucket in the runbook, whose request names the model', () => {
    const text = new Runbook(chartWith({ serviceAccountName: 'vllm' })).toString();
    expect(text).toContain('gs://my-models');
    expect(text).toContain('roles/storage.objectViewer');
    expect(text).toContain('"model":"Qwen3-4B"');
  });

  test.each<[Partial<VllmServerProps>, string]>([
    [
      { model: 'gs://my-models' },
      "model: 'gs://my-models' is not a folder of a bucket; use gs://BUCKET/FOLDER",
    ],
    [{ model: 'gs://My_Models!/a' }, 'is not a folder of a bucket'],
    [{ image: 'vllm/vllm-tpu:v0.11.1' }, "model: 'gcs-streamer' is a feature of vLLM v0.12.0 and later"],
  ])('rejects %j', (props, message) => {
    expect(refusal(() => chartWith(props))).toContain(message);
  });
});

test('other models do not set a loader', () => {
  for (const model of ['Qwen/Qwen3-4B', '/models/Qwen3-4B'])
    expect(args({ model }).filter((arg) => /^--(load-format|served)/.test(arg))).toEqual([]);
});
