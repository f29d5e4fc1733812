import { Chart, Testing } from 'cdk8s';
import { type Container } from 'cdk8s-plus-29/lib/imports/k8s';
import {
  App,
  findings,
  PvcVolume,
  Runbook,
  TpuSlice,
  VllmServer,
  type VllmOptions,
  type VllmServerProps,
} from '../../lib';
import { refusal } from '../refusal';

const required = { model: 'Qwen/Qwen3-4B', slice: TpuSlice.of('ct6e-standard-4t') };

interface PodSpec {
  readonly containers: readonly [Container];
  readonly initContainers?: readonly Container[];
}

function pod(props: Partial<VllmServerProps> = {}): PodSpec {
  const chart = Testing.chart();
  new VllmServer(chart, 'server', { ...required, ...props });
  const [deployment] = Testing.synth(chart) as readonly {
    readonly spec: { readonly template: { readonly spec: PodSpec } };
  }[];
  if (deployment === undefined) throw new Error('nothing was rendered');
  return deployment.spec.template.spec;
}

const args = (props?: Partial<VllmServerProps>): readonly string[] => pod(props).containers[0].args ?? [];
const refused = (props: Partial<VllmServerProps>): string => refusal(() => pod(props));
const plain = args();
/** Arguments that a server has only because of an option. */
const added = (props: Partial<VllmServerProps>): readonly string[] =>
  args(props).filter((arg) => !plain.includes(arg));

describe('an option of vLLM', () => {
  test.each<[VllmOptions & { readonly servedModelName?: string }, readonly string[]]>([
    [{ servedModelName: 'qwen' }, ['--served-model-name=qwen']],
    [{ quantization: 'fp8' }, ['--quantization=fp8']],
    [{ kvCacheDtype: 'fp8' }, ['--kv-cache-dtype=fp8']],
    [{ dtype: 'bfloat16' }, ['--dtype=bfloat16']],
    [{ enableLora: true }, ['--enable-lora']],
    [{ enableLora: false }, []],
    [
      { loraModules: { sql: 'my/sql', chat: 'my/adapter' } },
      ['--enable-lora', '--lora-modules', 'sql=my/sql', 'chat=my/adapter'],
    ],
    [{ loraModules: {} }, []],
    [{ dataParallelSize: 2 }, ['--tensor-parallel-size=2', '--data-parallel-size=2']],
    [{ pipelineParallelSize: 4 }, ['--tensor-parallel-size=1', '--pipeline-parallel-size=4']],
    [{ enablePrefixCaching: true }, ['--enable-prefix-caching']],
    [{ enablePrefixCaching: false }, ['--no-enable-prefix-caching']],
    [{ gpuMemoryUtilization: 0.95 }, ['--gpu-memory-utilization=0.95']],
    [{ reasoningParser: 'qwen3' }, ['--reasoning-parser=qwen3']],
    [
      { enableAutoToolChoice: true, toolCallParser: 'hermes' },
      ['--enable-auto-tool-choice', '--tool-call-parser=hermes'],
    ],
    [{ toolCallParser: 'hermes' }, ['--tool-call-parser=hermes']],
    [{ chatTemplate: '/data/chat.jinja' }, ['--chat-template=/data/chat.jinja']],
    [{ trustRemoteCode: true }, ['--trust-remote-code']],
    [{ trustRemoteCode: false }, []],
  ])('%j is rendered as %j', (props, expected) => {
    expect(added(props)).toEqual(expected);
  });

  test.each<[Partial<VllmServerProps>, string]>([
    [
      { args: ['--quantization=fp8'], quantization: 'fp8' },
      "args[0]: '--quantization=fp8' is set by the prop 'quantization'; use that prop",
    ],
    [{ args: ['-dp', '2'], dataParallelSize: 2 }, "args[0]: '-dp' is set by the prop 'dataParallelSize'"],
    [{ gpuMemoryUtilization: 92 }, "gpuMemoryUtilization: '92' is not above 0 and at most 1; use 0.92"],
    [{ gpuMemoryUtilization: 0 }, "gpuMemoryUtilization: '0' is not above 0 and at most 1; use 0.9"],
    [
      { enableLora: false, loraModules: { a: '/a' } },
      "enableLora: 'false' is set together with loraModules, which require it; use true",
    ],
    [{ loraModules: { 'a=b': '/a' } }, "loraModules: 'a=b' is not the name of an adapter"],
    [
      { loraModules: { sql: '/adapters/sql' } },
      "loraModules[sql]: '/adapters/sql' is not on a volume, and the default image does not contain it; use a Hugging Face id, or a folder below the mountPath of a modelCache",
    ],
    [
      {
        loraModules: { sql: '/adapters/sql', chat: '/data/chat' },
        modelCache: new PvcVolume({ claimName: 'models', mountPath: '/data' }),
      },
      "test/server loraModules[sql]: '/adapters/sql' is not on a volume, and the default image does not contain it; use a Hugging Face id, or a folder below '/data'",
    ],
    [
      { loraModules: { sql: 'gs://my-models/sql' } },
      "loraModules[sql]: 'gs://my-models/sql' is a URL; use a Hugging Face id or a path in the container",
    ],
    [
      { loraModules: { sql: ' ' } },
      "loraModules[sql]: ' ' is empty; use a Hugging Face id or a path in the container",
    ],
    [{ enableAutoToolChoice: true }, 'toolCallParser: required with enableAutoToolChoice'],
    [
      { quantization: 'awq', slice: TpuSlice.of('tpu7x-standard-4t') },
      "quantization: 'awq' is not a quantization that vLLM is known to run on tpu7x",
    ],
    [
      { quantization: 'tpu_int8' },
      "quantization: 'tpu_int8' is a quantization that v0.21.0 and later do not have",
    ],
    [
      { kvOffload: {} },
      "podSecurityLevel: 'baseline' does not admit the privileged init container that kvOffload requires; use 'privileged'",
    ],
  ])('rejects %j', (props, message) => {
    expect(refused(props)).toContain(message);
  });

  test('can be set in args instead', () => {
    expect(args({ args: ['--quantization=awq'], slice: TpuSlice.of('tpu7x-standard-4t') })).toContain(
      '--quantization=awq',
    );
    expect(args({ args: ['-dp', '2'] })).toContain('--tensor-parallel-size=2');
  });
});

describe('the generation determines the legal values', () => {
  const slices = {
    v5e: TpuSlice.of('ct5lp-hightpu-8t'),
    v5p: TpuSlice.of('ct5p-hightpu-4t'),
    v6e: TpuSlice.of('ct6e-standard-4t'),
    tpu7x: TpuSlice.of('tpu7x-standard-4t'),
  };
  const legal = (props: Partial<VllmServerProps>): boolean => {
    try {
      return args(props).length > 0;
    } catch {
      return false;
    }
  };

  test.each([
    ['compressed-tensors', ['v5e', 'v5p', 'v6e', 'tpu7x']],
    ['fp8', ['v6e', 'tpu7x']],
    ['auto_awq', ['v5e', 'v5p', 'v6e']],
    ['gpt_oss_mxfp4', ['tpu7x']],
    ['modelopt_fp4', ['tpu7x']],
  ] as const)('for quantization %s on %j', (quantization, generations) => {
    const found = Object.entries(slices).filter(([, slice]) => legal({ slice, quantization }));
    expect(found.map(([name]) => name)).toEqual(generations);
  });

  test.each([
    ['bfloat16', ['v5e', 'v5p', 'v6e', 'tpu7x']],
    ['fp8', ['v6e', 'tpu7x']],
    ['fp8_e5m2', ['v6e', 'tpu7x']],
  ] as const)('for kvCacheDtype %s on %j', (kvCacheDtype, generations) => {
    const found = Object.entries(slices).filter(([, slice]) => legal({ slice, kvCacheDtype }));
    expect(found.map(([name]) => name)).toEqual(generations);
  });
});

describe('offloading', () => {
  test('renders the connector, its variables and the init container that raises limits', () => {
    const spec = pod({ kvOffload: { cpuChunks: 4096, stagingBlocks: 256 }, podSecurityLevel: 'privileged' });
    expect(spec.containers[0].args).toContain(
      '--kv-transfer-config={"kv_connector":"TPUOffloadConnector","kv_connector_module_path":"tpu_inference.offload.tpu_offload_connector","kv_role":"kv_both"}',
    );
    expect(spec.containers[0].env).toEqual(
      expect.arrayContaining([
        { name: 'TPU_OFFLOAD_NUM_CPU_CHUNKS', value: '4096' },
        { name: 'TPU_OFFLOAD_NUM_STAGING_BLOCKS', value: '256' },
      ]),
    );
    expect(spec.initContainers).toMatchObject([
      {
        name: 'node-limits',
        image: 'vllm/vllm-tpu:v0.27.0',
        command: ['sh', '-c', expect.stringContaining('vm.max_map_count=33554432')],
        securityContext: { privileged: true },
      },
    ]);
  });
});

describe('an API key', () => {
  const apiKey = { secretName: 'vllm-api-key', key: 'api.key' };

  test('is read from a Secret', () => {
    expect(pod({ apiKey }).containers[0].env).toContainEqual({
      name: 'VLLM_API_KEY',
      valueFrom: { secretKeyRef: { name: 'vllm-api-key', key: 'api.key' } },
    });
  });

  test('is not repeated in messages', () => {
    const untyped = { apiKey: 'sk-1234' } as unknown as Partial<VllmServerProps>;
    expect(refused(untyped)).toContain(
      "apiKey: is a string; use an object like { secretName: 'vllm-api-key'",
    );
    expect(refused(untyped)).not.toContain('sk-1234');
  });

  test('is sent by the requests of the runbook, which creates its Secret', () => {
    const chart = new Chart(new App(), 'llama');
    new VllmServer(chart, 'server', { ...required, apiKey });
    const text = new Runbook(chart).toString();
    expect(text).toContain('kubectl create secret generic vllm-api-key');
    expect(text).toContain('jsonpath={.data.api\\.key}');
    expect(text.match(/--header "Authorization: Bearer \$API_KEY"/g)).toHaveLength(2);
  });

  test('makes a public server authenticate its clients', () => {
    const codes = (props: Partial<VllmServerProps>): readonly string[] => {
      const chart = new Chart(new App(), 'llama');
      new VllmServer(chart, 'server', { ...required, serviceType: 'ExternalLoadBalancer', ...props });
      return findings(chart).map(({ code }) => code);
    };
    expect(codes({})).toContain('TPU513');
    expect(codes({ apiKey })).not.toContain('TPU513');
  });
});
