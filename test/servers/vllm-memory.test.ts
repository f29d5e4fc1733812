import { ApiObject, Chart } from 'cdk8s';
import {
  acceptFinding,
  App,
  type Finding,
  findings,
  TpuSlice,
  VllmServer,
  type VllmServerProps,
} from '../../lib';
import { findingsIn } from '../../lib/checks/check';
import { readManifests } from '../../lib/manifest/read';
import { refusal } from '../refusal';

const slice = {
  v6e1: TpuSlice.of('ct6e-standard-1t'),
  v6e4: TpuSlice.of('ct6e-standard-4t'),
  v6e8: TpuSlice.of('ct6e-standard-8t'),
  tpu7x1: TpuSlice.of('tpu7x-standard-1t'),
};

function server(props: Pick<VllmServerProps, 'model' | 'slice'> & Partial<VllmServerProps>): VllmServer {
  return new VllmServer(new Chart(new App(), 'llama'), 'server', props);
}

/** What TPU119 says of a server. */
const memory = (one: VllmServer): readonly Finding[] => findings(one).filter(({ code }) => code === 'TPU119');
const said = (...args: Parameters<typeof server>): string =>
  memory(server(...args))
    .map(({ severity, message, fix }) => `${severity}: ${message}; ${fix}`)
    .join('\n');

describe('a model that cannot start is an error', () => {
  test.each<[Parameters<typeof server>[0], string]>([
    [
      { model: 'meta-llama/Llama-3.1-405B', slice: slice.v6e8 },
      "error: slice 'ct6e-standard-8t/2x4' is too small for model 'meta-llama/Llama-3.1-405B': the weights need at least ",
    ],
    [
      { model: 'Qwen/Qwen3-32B', slice: slice.v6e1 },
      "error: slice 'ct6e-standard-1t/1x1' is too small for model 'Qwen/Qwen3-32B': the weights need at least ",
    ],
    [
      { model: 'meta-llama/Llama-3.1-8B', slice: slice.v6e1 },
      "error: --max-model-len is not set, and the 131072 tokens of the model's own context need at least 16 GiB of KV cache in addition to 15 GiB of weights",
    ],
    [
      { model: 'meta-llama/Llama-3.1-8B', slice: slice.v6e1, maxModelLen: 125_000 },
      'error: --max-model-len 125000 tokens need at least 15.3 GiB of KV cache',
    ],
    [
      {
        model: 'meta-llama/Llama-3.1-8B',
        slice: slice.v6e1,
        maxModelLen: 110_000,
        gpuMemoryUtilization: 0.8,
      },
      'error: --max-model-len 110000 tokens need at least',
    ],
  ])('for %j', (props, message) => {
    expect(said(props)).toContain(message);
  });

  test('which stops synth unless it is accepted', () => {
    const one = server({ model: 'Qwen/Qwen3-32B', slice: slice.v6e1 });
    const synth = (): readonly unknown[] => Chart.of(one).toJson() as readonly unknown[];
    expect(synth).toThrow('TPU119 Deployment/server');
    acceptFinding(one.workload, 'TPU119', 'a test of the message');
    expect(synth().length).toBeGreaterThan(0);
  });

  test('which names the closest alternatives', () => {
    expect(said({ model: 'meta-llama/Llama-3.1-8B', slice: slice.v6e1 })).toContain(
      "use at most 118528 tokens, kvCacheDtype 'fp8', 'ct6e-standard-4t/2x2' (1 host, 128 GiB) or weights quantized to int8, int4 or fp8",
    );
  });
});

describe('a model that may fail to start is a warning', () => {
  // one implementation keeps the whole sequence of sliding layers, the other only the window
  const tight = {
    model: 'google/gemma-3-27b-it',
    slice: slice.v6e4,
    maxModelLen: 131_072,
    gpuMemoryUtilization: 0.8,
  } as const;

  test('which synth reports without stopping', () => {
    const one = server(tight);
    const found = memory(one);
    expect(found).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('are expected to need') },
    ]);
    acceptFinding(one.workload, 'TPU119', 'this image keeps the window only');
    expect(memory(one)).toEqual([]);
  });
});

describe('a model that fits has no findings', () => {
  test.each<[string, Parameters<typeof server>[0]]>([
    ['a shorter context', { model: 'meta-llama/Llama-3.1-8B', slice: slice.v6e1, maxModelLen: 8192 }],
    ['a smaller cache', { model: 'meta-llama/Llama-3.1-8B', slice: slice.v6e1, kvCacheDtype: 'fp8' }],
    ['quantized weights', { model: 'meta-llama/Llama-3.1-8B', slice: slice.v6e1, quantization: 'fp8' }],
    [
      'flags that change the model',
      { model: 'Qwen/Qwen3-32B', slice: slice.v6e1, args: ['--hf-overrides={"num_hidden_layers":2}'] },
    ],
    [
      'variables that quantize again',
      { model: 'Qwen/Qwen3-32B', slice: slice.v6e1, env: { REQUANTIZE_WEIGHT_DTYPE: 'float8_e4m3fn' } },
    ],
    ['the peers of v6e', { model: 'Qwen/Qwen3-32B', slice: slice.v6e8 }],
    ['an unknown model', { model: '/models/my-70b', slice: slice.v6e8, maxModelLen: 8192 }],
  ])('for %s', (_, props) => {
    expect(said(props)).toBe('');
  });
});

describe('a model that the library does not know', () => {
  const modelConfiguration = {
    parameters: 14.8e9,
    layers: 48,
    kvHeads: 8,
    headDim: 128,
    contextLength: 131072,
  } as const;
  const mine = { model: 'my-org/my-model', slice: slice.v6e1 };
  const annotation = (one: VllmServer): unknown =>
    one.workload.metadata.toJson().annotations?.['cdk8s-tpu-serving/model'];

  test('can state its numbers, which are checked and rendered as an annotation', () => {
    const one = server({ ...mine, modelConfiguration });
    expect(JSON.parse(String(annotation(one)))).toEqual(modelConfiguration);
    expect(memory(one)).toMatchObject([
      { severity: 'error', message: expect.stringContaining('of KV cache in addition to') },
    ]);
    expect(said({ ...mine, modelConfiguration, maxModelLen: 2048 })).toBe('');
    acceptFinding(one.workload, 'TPU119', 'our image offloads weights');
    expect(memory(one)).toEqual([]);
  });

  test('can state its whole configuration, which also determines the startup budget', () => {
    const llama = {
      layers: 80,
      hiddenSize: 8192,
      intermediateSize: 28672,
      vocabulary: 128256,
      heads: 64,
      kvHeads: 8,
      headDim: 128,
      contextLength: 131072,
    };
    const like = (props: Partial<VllmServerProps>): unknown =>
      server({ model: 'my-org/my-model', slice: slice.v6e8, ...props }).workload.toJson().spec
        .progressDeadlineSeconds;
    expect(like({ modelConfiguration: llama })).toBe(like({ model: 'meta-llama/Llama-3.1-70B' }));
    expect(said({ ...mine, modelConfiguration: llama })).toContain(
      "error: slice 'ct6e-standard-1t/1x1' is too small for model 'my-org/my-model': the weights need at least ",
    );
  });

  test('has the size that modelSize states', () => {
    expect(said({ ...mine, modelSize: '141G' })).toContain(
      "error: slice 'ct6e-standard-1t/1x1' is too small for model 'my-org/my-model': the weights need at least 131.4 GiB",
    );
    expect(said({ ...mine, modelSize: '16G' })).toBe('');
    // quantized when it is loaded, it may be smaller
    expect(said({ ...mine, modelSize: '50G', quantization: 'fp8' })).toContain('warning: ');
    expect(annotation(server({ ...mine, model: 'Qwen/Qwen3-4B', modelSize: '8G' }))).toBeUndefined();
  });

  test('is estimated from its name, with a warning if not even 4-bit weights fit', () => {
    expect(said({ ...mine, model: 'my-org/my-405b' })).toContain(
      "warning: slice 'ct6e-standard-1t/1x1' is too small for model 'my-org/my-405b' (405e9 parameters of at least 4 bits according to its name)",
    );
    expect(said({ ...mine, model: 'my-org/my-20b' })).toBe('');
  });

  test('in a bucket is recognized by the Hugging Face id under which it is served', () => {
    const streamed = { model: 'gs://my-models/weights', servedModelName: 'Qwen/Qwen3-32B' };
    expect(said({ ...mine, ...streamed })).toContain("error: slice 'ct6e-standard-1t/1x1' is too small");
  });

  test('must have valid numbers', () => {
    expect(refusal(() => server({ ...mine, modelConfiguration: { parameters: 7 } }))).toContain(
      "modelConfiguration.parameters: '7' is not a number from 1e6 to 1e15; use 7e9",
    );
    const text = 'my-org/other' as unknown as VllmServerProps['modelConfiguration'];
    expect(refusal(() => server({ ...mine, modelConfiguration: text }))).toContain(
      "modelConfiguration: 'my-org/other' is a string; use the numbers of a model, like { parameters: 70e9 }",
    );
  });

  test('with invalid numbers in a manifest has a warning', () => {
    for (const numbers of ['{"parameters":7}', 'seven']) {
      const one = server(mine);
      one.workload.metadata.addAnnotation('cdk8s-tpu-serving/model', numbers);
      expect(memory(one)).toMatchObject([
        { severity: 'warning', message: expect.stringContaining('is not valid and is ignored') },
      ]);
    }
  });

  test('can have KV heads that its devices do not divide', () => {
    const odd = { ...modelConfiguration, kvHeads: 6 };
    expect(refusal(() => server({ ...mine, slice: slice.v6e4, modelConfiguration: odd }))).toContain(
      "tensorParallelSize: '4' neither divides the 6 KV heads of the model nor is a multiple of them; use 3",
    );
  });

  test('can have latent attention, which needs attention data parallelism', () => {
    const mla = {
      kvLoraRank: 512,
      queryLoraRank: 1536,
      ropeHeadDim: 64,
      noPositionHeadDim: 128,
      valueHeadDim: 128,
    };
    const latent = { ...modelConfiguration, attention: ['mla'], mla } as const;
    expect(refusal(() => server({ ...mine, modelConfiguration: latent }))).toContain(
      'model: has multi-head latent attention',
    );
  });
});

test('a model whose KV heads cannot be split over the devices is rejected', () => {
  expect(refusal(() => server({ model: 'microsoft/phi-4', slice: slice.v6e4 }))).toContain(
    "tensorParallelSize: '4' neither divides the 10 KV heads of the model nor is a multiple of them; use 2",
  );
});

describe('a manifest from another source', () => {
  const manifest = (args: string, image = 'vllm/vllm-tpu:v0.12.0'): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: llama }
spec:
  selector: { matchLabels: { app: llama } }
  template:
    metadata: { labels: { app: llama } }
    spec:
      nodeSelector:
        cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
        cloud.google.com/gke-tpu-topology: 1x1
      containers:
        - name: vllm
          image: ${image}
          command: [vllm, serve, meta-llama/Llama-3.1-8B]
          args: [${args}]
          resources: { limits: { google.com/tpu: '1' }, requests: { google.com/tpu: '1' } }
`;
  const severities = (text: string): readonly string[] =>
    findingsIn(readManifests(text, 'a.yaml').objects)
      .filter(({ code }) => code === 'TPU119')
      .map(({ severity }) => severity);

  test.each([
    ['', 'error'],
    ["'--max-model-len=8k'", undefined],
    ["'--max-model-len=125K'", 'error'],
    ["'--max-model-len', '8192'", undefined],
    ["'--max-model-len=-1'", undefined],
    ["'--num-gpu-blocks-override=100'", undefined],
    // 0.9 of the HBM on this release, 0.92 on others
    ["'--max-model-len=114000'", 'error'],
  ])('with %s has severity %s', (args, severity) => {
    expect(severities(manifest(args))).toEqual(severity === undefined ? [] : [severity]);
  });

  test('is checked with the share of the HBM that its release uses', () => {
    const at = "'--max-model-len=115000'";
    expect(severities(manifest(at))).toEqual(['error']);
    expect(severities(manifest(at, 'vllm/vllm-tpu:v0.27.0'))).toEqual([]);
  });
});

test('objects of other kinds have no findings', () => {
  const chart = new Chart(new App(), 'chart');
  const object = new ApiObject(chart, 'account', { apiVersion: 'v1', kind: 'ServiceAccount' });
  expect(findings(object).filter(({ code }) => code === 'TPU119')).toEqual([]);
});
