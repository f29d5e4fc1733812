import { Testing } from 'cdk8s';
import { type EnvVar } from 'cdk8s-plus-29/lib/imports/k8s';
import { Capacity, TpuSlice, VllmServer, type VllmServerProps } from '../../lib';
import { refusal } from '../refusal';

const required = { model: 'Qwen/Qwen3-4B', slice: TpuSlice.of('ct6e-standard-4t') };
interface Pod {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly container: Container;
}
interface Container {
  readonly args: readonly string[];
  readonly image: string;
  readonly env: readonly EnvVar[];
}

function pod(props: Partial<VllmServerProps> = {}): Pod {
  const chart = Testing.chart();
  new VllmServer(chart, 'server', { ...required, ...props });
  const [deployment] = Testing.synth(chart) as readonly {
    readonly spec: { readonly template: { readonly spec: { readonly containers: readonly [Container] } } };
  }[];
  if (deployment === undefined) throw new Error('nothing was rendered');
  const { spec } = deployment.spec.template;
  return { spec, container: spec.containers[0] };
}

const refused = (props: Partial<VllmServerProps>): string => refusal(() => pod(props));
const names = (props: Partial<VllmServerProps>): readonly string[] =>
  pod(props).container.env.map(({ name }) => name);
const at = (tag: string): string => `vllm/vllm-tpu:${tag}`;

describe('a release of vLLM', () => {
  test('is v0.27.0 by default', () => {
    expect(pod().container.image).toBe('vllm/vllm-tpu:v0.27.0');
  });

  test.each([
    ['v0.11.1', false, undefined],
    ['v0.13.2-ironwood', false, undefined],
    ['v0.18.0', true, '--shutdown-timeout=25'],
    ['v0.27.0', true, '--shutdown-timeout=25'],
    ['nightly', true, '--shutdown-timeout=25'],
  ])('%s renders the engine timeout: %s, and shutdown flag %s', (tag, timeout, shutdown) => {
    const { args, env } = pod({ image: at(tag) }).container;
    expect(env.some(({ name }) => name === 'VLLM_ENGINE_READY_TIMEOUT_S')).toBe(timeout);
    expect(args.find((arg) => arg.startsWith('--shutdown-timeout'))).toBe(shutdown);
  });

  test('gets only variables that vLLM reads', () => {
    for (const tag of ['v0.11.1', 'v0.12.0', 'v0.27.0'])
      expect(names({ image: at(tag) })).not.toContain('VLLM_USE_V1');
  });

  test('is read from an image in a fragment', () => {
    const fragments = [{ container: { image: at('v0.12.0') } }];
    expect(refused({ fragments, args: ['--shutdown-timeout=45'] })).toContain(
      'of vLLM v0.18.0 and later, but the image is v0.12.0',
    );
  });

  test.each<[string, Partial<VllmServerProps>, string]>([
    [
      'v0.13.2',
      { args: ['--shutdown-timeout=45'] },
      "args[0]: '--shutdown-timeout=45' is a flag of vLLM v0.18.0 and later, but the image is v0.13.2; use an image of v0.18.0 or later",
    ],
    [
      'v0.27.0',
      { args: ['--task', 'generate'] },
      "args[0]: '--task' is a flag that v0.13.2 and later do not have",
    ],
    [
      'v0.27.0',
      { args: ['--seed', '1', '--swap_space=4'] },
      "args[2]: '--swap_space=4' is a flag that v0.18.0 and later do not have",
    ],
    [
      'v0.27.0',
      { fragments: [{ container: { args: ['--rope-theta=1'] } }] },
      "fragments[0].container.args[0]: '--rope-theta=1' is a flag that v0.12.0 and later do not have",
    ],
    [
      'v0.27.0',
      { env: { VLLM_USE_V1: '1' } },
      "env.VLLM_USE_V1: 'VLLM_USE_V1' is a variable that v0.12.0 and later do not have",
    ],
    [
      'v0.18.0',
      { fragments: [{ env: [{ name: 'TPU_OFFLOAD_NUM_CPU_CHUNKS', value: '8' }] }] },
      'is a variable of vLLM v0.20.0 and later, but the image is v0.18.0',
    ],
    [
      'v0.13.2',
      { loraModules: { sql: '/data/sql' } },
      "loraModules: '--lora-modules' stops servers up to v0.13.2",
    ],
    [
      'v0.19.0',
      { quantization: 'deepseek_v4_fp8' },
      "quantization: 'deepseek_v4_fp8' is a quantization of vLLM v0.23.0 and later",
    ],
    [
      'v0.18.0',
      { kvOffload: {}, podSecurityLevel: 'privileged' },
      "kvOffload: 'TPUOffloadConnector' is a KV connector of vLLM v0.20.0 and later",
    ],
  ])('%s rejects %j', (tag, props, message) => {
    expect(refused({ image: at(tag), ...props })).toContain(message);
    // an unknown tag is not refused because of its release
    expect(() => pod({ ...props, image: at('nightly') })).not.toThrow();
  });

  test.each<[Partial<VllmServerProps>, string]>([
    [
      { tensorParallelSize: 4, dataParallelSize: 2 },
      "tensorParallelSize: '4' with dataParallelSize 2 needs 8 devices, but the slice has 4; use at most 2",
    ],
    [{ enableLora: true, dataParallelSize: 2 }, 'enableLora: cannot be combined with dataParallelSize 2'],
    [{ args: ['--enable-lora', '-dp', '2'] }, 'enableLora: cannot be combined with dataParallelSize 2'],
    [
      { args: ['--kv-transfer-config={"kv_connector":"NixlConnector"}'] },
      "kv_connector: 'NixlConnector' is not a KV connector of vLLM v0.27.0 on TPU",
    ],
    [
      { args: ['--kv-transfer-config', '{"kv_connector":"TPUConnectorHMA"}'] },
      'stops the engine of v0.27.0 to v0.29.0 at startup',
    ],
    [{ env: { SKIP_JAX_PRECOMPILE: 'yes' } }, "env.SKIP_JAX_PRECOMPILE: 'yes' is not a boolean"],
    [
      { model: 'deepseek-ai/DeepSeek-R1', slice: TpuSlice.of('tpu7x-standard-4t') },
      'has multi-head latent attention, which vLLM on TPU supports only with attention data parallelism',
    ],
  ])('rejects props that stop the engine: %j', (props, message) => {
    expect(refused(props)).toContain(message);
  });

  test('does not check the arguments of another program', () => {
    expect(pod({ command: ['python3', 'serve.py'], args: ['--swap-space=4'] }).container.args).toContain(
      '--swap-space=4',
    );
  });
});

describe('a pod', () => {
  test('has no variables of Services, because vLLM reads VLLM_PORT', () => {
    expect(pod({ name: 'vllm' }).spec).toHaveProperty('enableServiceLinks', false);
    expect(pod({ fragments: [{ pod: { enableServiceLinks: true } }] }).spec).toHaveProperty(
      'enableServiceLinks',
      true,
    );
  });

  test.each<[Partial<VllmServerProps>, string | undefined]>([
    [{ shutdownSeconds: 60 }, '--shutdown-timeout=55'],
    [{ terminationGracePeriodSeconds: 100 }, '--shutdown-timeout=65'],
    [{ args: ['--shutdown-timeout=7'] }, '--shutdown-timeout=7'],
    [{ shutdownSeconds: 5 }, undefined],
    [{ capacity: Capacity.spot() }, undefined],
  ])('with %j renders %s to finish its requests', (props, flag) => {
    const flags = pod(props).container.args.filter((arg) => arg.startsWith('--shutdown-timeout'));
    expect(flags).toEqual(flag === undefined ? [] : [flag]);
  });
});
