import { type Problem, textOf } from '../../lib/problems/problems';
import {
  defectProblem,
  DEFAULT_VLLM_RELEASE,
  flagKnown,
  hasFeature,
  type ImageRelease,
  isSince,
  lifetimeOf,
  namesOf,
  nearestNames,
  readsVariable,
  releaseOf,
  releaseProblem,
  variableKnown,
  VLLM_RELEASES,
  type VllmKnowledge,
  type VllmNameKind,
} from '../../lib/facts/vllm-releases';

const at = (tag: string): ImageRelease => releaseOf(`vllm/vllm-tpu:${tag}`);
const line = (problem: Problem | undefined): string | undefined => problem && textOf(problem);

describe('the release of an image', () => {
  test.each([
    ['vllm/vllm-tpu:v0.12.0', 'v0.12.0', true],
    ['vllm/vllm-tpu:v0.13.2-ironwood', 'v0.13.2', true],
    ['vllm/vllm-tpu:v0.13.3', 'v0.13.2', true],
    ['vllm/vllm-tpu:v0.22.0', 'v0.22.1', true],
    ['vllm/vllm-tpu:v0.27.0@sha256:0123', 'v0.27.0', true],
    ['europe-docker.pkg.dev/my-project/mirror/vllm-tpu:v0.20.0', 'v0.20.0', true],
    ['registry:5000/vllm-tpu:0.20.0', 'v0.20.0', true],
    ['registry:5000/vllm-tpu', 'v0.32.0', false],
    ['vllm/vllm-tpu:latest', 'v0.32.0', false],
    ['vllm/vllm-tpu:nightly-20260816-11250b4-1d2d83a', 'v0.32.0', false],
    ['vllm/vllm-tpu@sha256:0123', 'v0.32.0', false],
    ['vllm/vllm-tpu:v0.99.0', 'v0.32.0', false],
    ['my/server:v0.2.3', 'v0.32.0', false],
    ['', 'v0.32.0', false],
  ])('%s is %s, recognized: %s', (image, tag, recognized) => {
    expect(releaseOf(image)).toMatchObject({ tag, recognized });
  });

  test('has one row for each minor version, oldest first', () => {
    const minors = VLLM_RELEASES.map(({ tag }) => Number(tag.split('.')[1]));
    expect(minors).toEqual([...new Set(minors)].sort((a, b) => a - b));
    expect(VLLM_RELEASES.map(({ tag }) => tag)).toContain(DEFAULT_VLLM_RELEASE);
  });

  test('has its default of --gpu-memory-utilization', () => {
    expect(VLLM_RELEASES.filter((one) => one.gpuMemoryUtilization === 0.9).map(({ tag }) => tag)).toEqual(
      VLLM_RELEASES.filter((one) => !isSince(one, 'v0.20.0')).map(({ tag }) => tag),
    );
  });
});

describe('the names of a release', () => {
  test.each<[string, string, VllmKnowledge]>([
    ['v0.13.2', '--shutdown-timeout=45', 'added later'],
    ['v0.18.0', '--shutdown-timeout=45', 'known'],
    ['v0.27.0', '--max-model-len', 'known'],
    ['v0.11.1', '--max_model_len=8', 'known'],
    ['v0.27.0', '--no-enable-prefix-caching', 'known'],
    ['v0.27.0', '--no-disable-hybrid-kv-cache-manager', 'known'],
    ['v0.27.0', '--additional-config.sharding.x=1', 'known'],
    ['v0.13.2', '--swap-space=4', 'known'],
    ['v0.18.0', '--swap-space=4', 'removed'],
    ['v0.11.1', '--numa-bind', 'added later'],
    ['v0.19.0', '--numa-bind', 'known'],
    ['v0.13.2', '--task', 'removed'],
    ['v0.27.0', '--flag-of-a-plugin', 'unknown'],
  ])('%s and flag %s are %s', (tag, flag, knowledge) => {
    expect(flagKnown(at(tag), flag)).toBe(knowledge);
  });

  test.each<[string, string, VllmKnowledge]>([
    ['v0.11.1', 'VLLM_USE_V1', 'known'],
    ['v0.12.0', 'VLLM_USE_V1', 'removed'],
    ['v0.12.0', 'VLLM_ENGINE_READY_TIMEOUT_S', 'added later'],
    ['v0.27.0', 'VLLM_ENGINE_READY_TIMEOUT_S', 'known'],
    ['v0.12.0', 'TPU_NODE_ID', 'known'],
    ['v0.18.0', 'TPU_NODE_ID', 'removed'],
    ['v0.21.0', 'TPU_MULTIPROCESS_DP', 'added later'],
    ['v0.22.1', 'TPU_MULTIPROCESS_DP', 'known'],
    ['v0.27.0', 'VLLM_XLA_CACHE_PATH', 'known'],
    ['v0.27.0', 'MY_VARIABLE', 'unknown'],
  ])('%s and variable %s are %s', (tag, variable, knowledge) => {
    expect(variableKnown(at(tag), variable)).toBe(knowledge);
    expect(readsVariable(at(tag), variable)).toBe(['known', 'unknown'].includes(knowledge));
  });

  test.each<[VllmNameKind, string, string, string | undefined]>([
    ['metric', 'vllm:num_requests_waiting', 'v0.11.1', undefined],
    ['metric', 'vllm:gpu_cache_usage_perc', 'v0.11.1', 'v0.12.0'],
    ['metric', 'vllm:external_prefix_cache_hits_total', 'v0.12.0', undefined],
    ['metric', 'vllm:time_to_first_token_seconds_bucket', 'v0.11.1', undefined],
    ['metric', 'vllm:admission_rejections', 'v0.32.0', undefined],
    ['endpoint', '/health', 'v0.11.1', undefined],
    ['endpoint', '/readyz', 'v0.22.1', undefined],
    ['quantization', 'tpu_int8', 'v0.11.1', 'v0.21.0'],
    ['quantization', 'gpt_oss_mxfp4', 'v0.19.0', undefined],
    ['connector', 'TPUConnectorHMA', 'v0.20.0', undefined],
    ['connector', 'RaidenOffloadConnector', 'v0.25.0', undefined],
    ['feature', 'auto-max-model-len', 'v0.18.0', undefined],
  ])('%s %s exists since %s', (kind, name, since, until) => {
    expect(lifetimeOf(kind, name)).toEqual({ since, ...(until !== undefined && { until }) });
  });

  test.each<VllmNameKind>(['flag', 'variable', 'metric', 'endpoint', 'quantization', 'connector'])(
    'has lifetimes of every %s in the order of releases',
    (kind) => {
      const tags = VLLM_RELEASES.map(({ tag }) => tag);
      const names = new Set(VLLM_RELEASES.flatMap((release) => namesOf(kind, release)));
      expect(names.size).toBeGreaterThan(3);
      for (const name of names) {
        const { since, until } = lifetimeOf(kind, name) ?? { since: '' };
        expect(tags).toContain(since);
        expect(until === undefined ? Infinity : tags.indexOf(until)).toBeGreaterThan(tags.indexOf(since));
      }
    },
  );

  test.each([
    ['v0.11.1', 'gcs-streamer', false],
    ['v0.12.0', 'gcs-streamer', true],
    ['v0.13.2', 'image-entry-point', false],
    ['v0.18.0', 'image-entry-point', true],
    ['latest', 'auto-max-model-len', true],
  ] as const)('%s has the feature %s: %s', (tag, feature, has) => {
    expect(hasFeature(at(tag), feature)).toBe(has);
  });

  test('names the nearest flag that the release has', () => {
    expect(nearestNames(at('v0.27.0'), 'flag', '--shutdown-timout')).toEqual(['shutdown-timeout']);
    expect(nearestNames(at('v0.13.2'), 'flag', '--max-model-lenght')).toEqual(['max-model-len']);
  });
});

describe('a name that the release does not have', () => {
  test.each<[string, VllmNameKind, string, string]>([
    [
      'v0.12.0',
      'flag',
      '--shutdown-timeout=45',
      "args: '--shutdown-timeout=45' is a flag of vLLM v0.18.0 and later, but the image is v0.12.0; use an image of v0.18.0 or later",
    ],
    [
      'v0.27.0',
      'flag',
      '--disable-log-requests',
      "args: '--disable-log-requests' is a flag that v0.18.0 and later do not have, but the image is v0.27.0; use --no-enable-log-requests",
    ],
    [
      'v0.27.0',
      'flag',
      '--swap-space=4',
      "args: '--swap-space=4' is a flag that v0.18.0 and later do not have, but the image is v0.27.0; remove it, or use an image of v0.13.2 or earlier",
    ],
    [
      'v0.19.0',
      'connector',
      'TPUOffloadConnector',
      "args: 'TPUOffloadConnector' is a KV connector of vLLM v0.20.0 and later, but the image is v0.19.0; use an image of v0.20.0 or later",
    ],
    [
      'v0.11.1',
      'flag',
      '--enable-bf16x3-router-gemm',
      "args: '--enable-bf16x3-router-gemm' is a flag of vLLM v0.26.0 and later, but the image is v0.11.1; use an image of v0.26.0 up to v0.29.0",
    ],
    [
      'v0.20.0',
      'metric',
      'vllm:gpu_cache_usage_perc',
      "args: 'vllm:gpu_cache_usage_perc' is a metric that v0.12.0 and later do not have, but the image is v0.20.0; use vllm:kv_cache_usage_perc",
    ],
  ])('is a problem on %s: %s %s', (tag, kind, name, text) => {
    expect(line(releaseProblem(at(tag), kind, name, 'args'))).toBe(text);
  });

  test.each([
    ['latest', '--swap-space=4'],
    ['nightly', '--task'],
    ['v0.27.0', '--flag-of-a-plugin'],
    ['v0.27.0', '--max-model-len=8'],
  ])('is accepted on %s: %s', (tag, flag) => {
    expect(releaseProblem(at(tag), 'flag', flag, 'args')).toBeUndefined();
  });
});

describe('known defects', () => {
  test.each<[string, VllmNameKind, string, string | undefined]>([
    ['v0.26.0', 'connector', 'TPUConnectorHMA', undefined],
    [
      'v0.27.0',
      'connector',
      'TPUConnectorHMA',
      "kvConnector: 'TPUConnectorHMA' stops the engine of v0.27.0 to v0.29.0 at startup; use an image of v0.26.0",
    ],
    [
      'v0.29.0',
      'connector',
      'TPUConnectorHMA',
      "kvConnector: 'TPUConnectorHMA' stops the engine of v0.27.0 to v0.29.0 at startup; use an image of v0.26.0",
    ],
    ['v0.30.0', 'connector', 'TPUConnectorHMA', undefined],
    ['nightly', 'connector', 'TPUConnectorHMA', undefined],
    ['v0.27.0', 'connector', 'TPUConnector', undefined],
    [
      'v0.13.2',
      'flag',
      '--lora-modules',
      "kvConnector: '--lora-modules' stops servers up to v0.13.2, which cannot load LoRA adapters on TPU; use an image of v0.18.0 or later",
    ],
    ['v0.18.0', 'flag', '--lora-modules', undefined],
  ])('%s, %s %s', (tag, kind, name, text) => {
    expect(line(defectProblem(at(tag), kind, name, 'kvConnector'))).toBe(text);
  });
});
