import fc from '../fast-check';
import { type Json, manifestObject } from '../../lib/manifest/manifest';
import { modelServerOf, namedModelOf } from '../../lib/manifest/model-servers';
import { type ContainerView, podsOf } from '../../lib/manifest/pods';
import { apps, container, found, pod, said, template, tpu } from '../checks/manifests';

const VLLM = 'vllm/vllm-tpu:v0.12.0';
const JETSTREAM = 'example/jetstream-pytorch-server:v0.2.3';
const API = ['python3', '-m', 'vllm.entrypoints.openai.api_server'];

const view = (more: Json): ContainerView => {
  const [one] = podsOf(manifestObject(pod({}, '4', { containers: [container('4', more)] })));
  const [first] = one?.containers ?? [];
  if (!first) throw new Error('no container');
  return first;
};
const modelOf = (more: Json): unknown => {
  const server = modelServerOf(view(more));
  return server && namedModelOf(server);
};

test.each<[string, Json, unknown]>([
  [
    'arguments with =',
    { command: API, args: ['--model=meta-llama/Llama-3.1-70B'] },
    { name: 'meta-llama/Llama-3.1-70B', parameters: 70e9, weights: 'bf16', stated: false },
  ],
  [
    'arguments in two words',
    { command: API, args: ['--model', 'x/y-8B', '--quantization', 'fp8'] },
    { name: 'x/y-8B', parameters: 8e9, weights: 'fp8', stated: false },
  ],
  [
    'vllm serve',
    { command: ['vllm', 'serve', 'x/y-8B-FP8'] },
    { name: 'x/y-8B-FP8', parameters: 8e9, weights: 'fp8', stated: false },
  ],
  [
    'a line for a shell, with a variable of the container',
    {
      command: ['sh', '-c'],
      args: ['set -e;\nexec /usr/bin/vllm serve "$MODEL" \\\n  -q awq'],
      env: [{ name: 'MODEL', value: 'x/y-32b' }],
    },
    { name: 'x/y-32b', parameters: 32e9, weights: 'int4', stated: false },
  ],
  [
    'variables in the forms of Kubernetes and of shells',
    {
      command: API,
      args: ['--model=$(ORG)/${NAME}', '--dtype=float32'],
      env: [
        { name: 'ORG', value: 'x' },
        { name: 'NAME', value: 'y-1b' },
      ],
    },
    { name: 'x/y-1b', parameters: 1e9, weights: 'float32', stated: false },
  ],
  ['a variable that only the cluster knows', { command: API, args: ['--model=$(MODEL)-8b'] }, undefined],
  ['a name that tells nothing', { command: API, args: ['--model=/data/model'] }, undefined],
  ['no model', { command: ['vllm', 'serve', '--port=1'] }, undefined],
  ['another server', { image: VLLM, command: ['serve'] }, undefined],
  ['Saxml', { args: ['--sax_cell=/sax/test', '--model=x-8b'] }, undefined],
  [
    'JetStream with a checkpoint',
    { image: JETSTREAM, args: ['--model_name=gemma', '--size=7b', '--quantize_weights=False'] },
    { name: 'gemma-7b', parameters: 7e9, weights: 'bf16', stated: true },
  ],
  [
    'JetStream, quantized, in the words of Abseil',
    { image: JETSTREAM, args: ['-size', '7b', '-quantize_weights', '--port=1'] },
    { name: '7b', parameters: 7e9, weights: 'int8', stated: true },
  ],
  [
    'JetStream from Hugging Face',
    { image: JETSTREAM, args: ['--model_id=google/gemma-7b-it'] },
    { name: 'google/gemma-7b-it', parameters: 7e9, weights: 'bf16', stated: false },
  ],
  [
    'JetStream with a mixture',
    { image: JETSTREAM, args: ['--model_name=mixtral', '--size=8x7b'] },
    undefined,
  ],
])('%s', (_, more, expected) => {
  expect(modelOf(more)).toEqual(expected);
});

test.each([
  ['beside another', 'vllm serve x/y-8b --port 8000 & python3 bench.py --port 9000', false],
  ['another beside it', 'proxy --port=9000 & vllm serve x/y-8b --port 8000', false],
  ['after others', 'proxy --port=9000 && vllm serve x/y-8b --port=8000;', true],
  ['by lines', 'proxy --port=9000\nvllm serve x/y-8b \\\n  --port=8000\nproxy --port 1', false],
  ['into another', 'vllm serve x/y-8b --port=8000 2>&1 | tee --port=1', false],
  ['the API server', 'set -e; python3 -m vllm.entrypoints.openai.api_server --port 8000', true],
])('each command of a line has its own flags: %s', (_, line, alone) => {
  const server = modelServerOf(view({ command: ['sh', '-c'], args: [line] }));
  expect([server?.flag('--port'), server?.alone]).toEqual(['8000', alone]);
});

test('the last of equal flags counts, in any spelling', () => {
  const server = modelServerOf(
    view({
      command: API,
      args: ['--max-model-len=1', '--max_model_len', "'2'", '--flag', '--max-model-lens=3'],
    }),
  );
  expect(server?.flag('--max-model-len')).toBe('2');
  expect(server?.flag('--flag')).toBe('');
  expect(server?.flag('--other')).toBeUndefined();
});

test('reads any words of a command without an error', () => {
  const words = fc.array(
    fc.oneof(fc.string(), fc.constantFrom('--model', '=', '$', '-q', 'vllm', 'serve', '"x-8b"')),
  );
  fc.assert(
    fc.property(words, fc.constantFrom(VLLM, JETSTREAM, ''), (args, image) => {
      expect(() => modelOf({ image, command: [...API, ...args], args })).not.toThrow();
    }),
  );
});

const server = (topology: string, chips: string, more: Json): Json =>
  pod(tpu(topology), chips, { containers: [container(chips, more)] });

test.each<[string, Json, readonly string[]]>([
  ['it fits', server('2x2', '4', { command: API, args: ['--model=x/y-60b'] }), []],
  [
    'it fits at 4 bits, by its name',
    server('2x2', '4', { command: API, args: ['--model=x/y-240b'] }),
    ['TPU119 note spec.containers[main].args'],
  ],
  [
    'it fits at what a flag says',
    server('2x2', '4', { command: API, args: ['--model=x/y-120b', '--quantization=int8'] }),
    [],
  ],
  [
    'it fits at 4 bits, by its stated size, which says no more than that it is quantized',
    server('2x2', '4', { image: JETSTREAM, args: ['--size=240b', '--quantize_weights=True'] }),
    ['TPU119 note spec.containers[main].args'],
  ],
  [
    'it does not, by its name',
    server('2x2', '4', { command: API, args: ['--model=x/y-405b'] }),
    ['TPU119 warning spec.containers[main].args'],
  ],
  [
    'it does not, by its stated size',
    server('2x2', '4', { image: JETSTREAM, args: ['--size=70b'] }),
    ['TPU119 error spec.containers[main].args'],
  ],
  [
    'the hosts of a slice hold it together',
    server('4x8', '4', { command: API, args: ['--model=x/y-405b'] }),
    [],
  ],
  [
    'a pipeline may go through several slices',
    server('2x2', '4', { command: API, args: ['--model=x/y-405b', '-pp=4'] }),
    [],
  ],
  [
    'the slice is not known',
    pod({}, '4', { containers: [container('4', { command: API, args: ['--model=x/y-405b'] })] }),
    [],
  ],
])('a model and its slice: %s', (_, manifest, expected) => {
  expect(found(/^TPU119$/, manifest)).toEqual(expected);
});

test('a model that does not fit has a problem and a fix', () => {
  const args = (model: string): Json => ({ command: API, args: [`--model=${model}`] });
  const deployed = (model: string): Json =>
    apps(
      'Deployment',
      template(tpu('2x4', 'tpu-v5-lite-podslice'), undefined, { containers: [container('8', args(model))] }),
    );
  const jetStream = { image: JETSTREAM, args: ['--size=70b', '--model_name=llama-3'] };
  expect([
    said('TPU119', server('2x2', '4', args('x/y-405b'))),
    said('TPU119', server('2x2', '4', jetStream)),
    said('TPU119', server('2x2', '4', args('x/y-70b'))),
    said('TPU119', deployed('x/y-405b')),
    said('TPU119', deployed('x/y-20000b')),
  ]).toEqual([
    "slice 'ct6e-standard-4t/2x2' is too small for model 'x/y-405b' (405e9 parameters of at least 4 bits according to its name): the weights need at least 188.6 GiB, and vLLM uses 117.7 GiB of its HBM, 70.9 GiB too little; use 'ct6e-standard-4t/4x8' (8 hosts, 1024 GiB), or a smaller model",
    "slice 'ct6e-standard-4t/2x2' is too small for model 'llama-3-70b' (70e9 parameters of 16 bits according to its flags): the weights need at least 130.4 GiB, and a server can use 128 GiB of its HBM, 2.4 GiB too little; use 'ct6e-standard-8t/2x4' (1 host, 256 GiB), or a smaller model",
    "slice 'ct6e-standard-4t/2x2' is too small for model 'x/y-70b' (70e9 parameters of 16 bits according to its name): the weights are expected to need 130.4 GiB, and vLLM uses 117.7 GiB of its HBM, 12.7 GiB too little; use 'ct6e-standard-8t/2x4' (1 host, 256 GiB), or a smaller model",
    "slice 'ct5lp-hightpu-8t/2x4' is too small for model 'x/y-405b' (405e9 parameters of at least 4 bits according to its name): the weights need at least 188.6 GiB, and vLLM uses 117.7 GiB of its HBM, 70.9 GiB too little; use 'ct5lp-hightpu-4t/8x8' (16 hosts, 1024 GiB), or a smaller model",
    "slice 'ct5lp-hightpu-8t/2x4' is too small for model 'x/y-20000b' (20000e9 parameters of at least 4 bits according to its name): the weights need at least 9313.3 GiB, and vLLM uses 117.7 GiB of its HBM, 9195.5 GiB too little; use 'ct4p-hightpu-4t/8x8x20' (320 hosts, 40960 GiB), or a smaller model",
  ]);
});
