import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type App, Testing } from 'cdk8s';
import { run } from '../../lib/cli';
import { init, initAsking } from '../../lib/init/init';
import { findings, Runbook } from '../../lib';
import { Chart } from 'cdk8s';
import { root } from '../pages';

const FILES = [
  '.github/workflows/manifests.yml',
  '.gitignore',
  'cdk8s.yaml',
  'main.test.ts',
  'main.ts',
  'package.json',
  'tsconfig.json',
];

let folder: string;
beforeEach(() => {
  mkdirSync(path.join(root, 'temp'), { recursive: true });
  folder = mkdtempSync(path.join(root, 'temp', 'init-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

interface Written {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Calls the program as a command line does, without the folder in what it writes. */
function call(...argv: readonly string[]): Written {
  const written = { stdout: '', stderr: '' };
  const code = run(['init', ...argv], {
    stdin: () => Buffer.from(''),
    stdout: (text) => (written.stdout += text),
    stderr: (text) => (written.stderr += text),
  });
  const short = (text: string): string => text.replaceAll(folder, 'FOLDER');
  return { code, stdout: short(written.stdout), stderr: short(written.stderr) };
}

const textOf = (file: string): string => readFileSync(path.join(folder, file), 'utf8');
const filesIn = (at: string): string[] =>
  existsSync(at)
    ? readdirSync(at, { recursive: true, withFileTypes: true })
        .filter((one) => one.isFile())
        .map((one) => path.relative(at, path.join(one.parentPath, one.name)))
        .sort()
    : [];

/** The app of the written project. */
async function app(): Promise<App> {
  writeFileSync(
    path.join(folder, 'copy.ts'),
    textOf('main.ts').replace("'cdk8s-tpu-serving'", "'../../lib'"),
  );
  const { addCharts } = (await import(path.join(folder, 'copy.ts'))) as {
    readonly addCharts: (app: App) => void;
  };
  const made = Testing.app();
  addCharts(made);
  return made;
}

describe('a new project', () => {
  test('has the files of a project, and says what comes next', () => {
    const { code, stdout, stderr } = call(folder);
    expect({ code, stderr, files: filesIn(folder) }).toEqual({ code: 0, stderr: '', files: FILES });
    expect(stdout)
      .toBe(`wrote package.json, tsconfig.json, cdk8s.yaml, main.ts, main.test.ts, .gitignore and .github/workflows/manifests.yml

slice: ct6e-standard-1t/1x1
  8 GB of weights + 1.2 GB of KV cache (1 sequence of 8192 tokens) need 9.4 GiB of HBM at 92% utilization: 1 chip of 32 GiB; 'ct6e-standard-1t/1x1' has 32 GiB (1 chip on 1 host), and they need 30% of it; room for 19 sequences of 8192 tokens

next:
  cd FOLDER && npm install
  npm run synth
  kubectl apply -f dist/

The runbook dist/qwen3-4b.md, which synth also writes, has the other steps: cluster, node pool, Secrets, a first request.
`);
  });

  test.each(FILES)('%s', (file) => {
    call(folder, '--namespace=serving', '--bucket=my-models');
    expect(textOf(file).replaceAll(path.basename(folder).toLowerCase(), 'FOLDER')).toMatchSnapshot();
  });

  test.each<[string, readonly string[]]>([
    ['vLLM with a gated model', ['--model=meta-llama/Llama-3.1-70B', '--bucket=my-models']],
    ['vLLM on another generation', ['--model=Qwen/Qwen3-32B', '--generation=tpu7x']],
    ['vLLM with weights in a bucket', ['--model=gs://my-models/Qwen3-32B', '--namespace=serving']],
    ['vLLM on several hosts', ['--model=Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8', '--bucket=my-models']],
    ['vLLM with a model that only its name describes', ['--model=acme/foo-13b', '--token-secret=mine']],
    [
      'vLLM with a model of a stated size',
      ['--model=acme/foo', '--model-size=30G', '--name=foo', '--max-model-len=2048', '--image=a/b:v1'],
    ],
    ['JetStream', ['--server=jetstream', '--namespace=serving']],
    [
      'JetStream with a bucket',
      ['--server=jetstream', '--model=meta-llama/Meta-Llama-3-8B', '--bucket=my-models'],
    ],
    ['Saxml', ['--server=saxml', '--model-size=350G', '--bucket=my-sax']],
    ['Saxml with a model', ['--server=saxml', '--model=acme/foo-13b', '--bucket=my-sax', '--generation=v4']],
    ['Ray', ['--server=ray', '--import-path=app.serve:llm', '--bucket=my-models']],
    ['any server', ['--server=any', '--model=Qwen/Qwen3-8B', '--image=example.com/sglang-jax:v0.1.0']],
  ])('renders %s without errors', async (_, argv) => {
    expect(call(folder, ...argv)).toMatchObject({ code: 0, stderr: '' });
    const made = await app();
    expect(findings(made, { severity: 'error' })).toEqual([]);
    expect(textOf('main.ts')).toMatchSnapshot();
    // what the written test compares
    const [, chips = ''] = /new Set\(\['(\d)'\]\)/.exec(textOf('main.test.ts')) ?? [];
    const requested = [...made.synthYaml().matchAll(/google\.com\/tpu: "(\d+)"/g)].map(([, count]) => count);
    expect(new Set(requested)).toEqual(new Set([chips]));
    for (const chart of made.charts.filter((one) => Chart.isChart(one)))
      expect(new Runbook(chart).toString()).toContain('## Apply');
  });

  test('states which numbers are guesses, and which steps remain', () => {
    expect(call(folder, '--model=acme/foo-13b').stdout).toContain(
      'The size is guessed from the name of the model. Set --model-size if it is wrong.',
    );
    expect(call(path.join(folder, 'ray'), '--server=ray').stdout).toContain('Build an image');
    expect(call(path.join(folder, 'jet'), '--server=jetstream', '--bucket=my-models').stdout).toContain(
      'kubectl apply -f dist/gemma-7b-it-convert.k8s.yaml\n',
    );
  });

  test('is written into folders with any name', () => {
    const { code, stdout } = call(path.join(folder, `it's "new"\n$(x)`));
    expect(code).toBe(0);
    expect(stdout).toContain(`cd 'FOLDER/it'\\''s "new"\n$(x)' && npm install\n`);
    expect(JSON.parse(textOf(`it's "new"\n$(x)/package.json`))).toMatchObject({ name: 'it-s-new-x' });
  });

  test('depends on the tarball that the package is installed from, until there is a release', () => {
    const home = path.join(folder, 'node_modules', 'cdk8s-tpu-serving');
    mkdirSync(home, { recursive: true });
    writeFileSync(path.join(home, 'package.json'), readFileSync(path.join(root, 'package.json')));
    writeFileSync(
      path.join(folder, 'node_modules', '.package-lock.json'),
      JSON.stringify({
        packages: { 'node_modules/cdk8s-tpu-serving': { resolved: 'file:../tgz/a-0.1.0.tgz' } },
      }),
    );
    let said = '';
    const io = { stdout: (text: string) => (said = text), stderr: () => undefined };
    expect(init({ args: [path.join(folder, 'new')], options: {}, root: home }, io)).toBe(0);
    expect(said).toContain(
      'For CI, copy ../../tgz/a-0.1.0.tgz into the project, run npm install on the copy, and commit it.\n',
    );
    expect(JSON.parse(textOf('new/package.json'))).toMatchObject({
      dependencies: { 'cdk8s-tpu-serving': 'file:../../tgz/a-0.1.0.tgz' },
    });
  });
});

describe('nothing is written', () => {
  test('over existing files, and the message names all of them', () => {
    writeFileSync(path.join(folder, 'package.json'), '{}');
    mkdirSync(path.join(folder, '.github', 'workflows'), { recursive: true });
    writeFileSync(path.join(folder, '.github', 'workflows', 'manifests.yml'), 'mine');
    writeFileSync(path.join(folder, 'README.md'), 'mine');
    expect(call(folder)).toEqual({
      code: 2,
      stdout: '',
      stderr:
        "folder: 'FOLDER' has package.json and .github/workflows/manifests.yml already, and init does not overwrite files; use a new or empty folder\n",
    });
    expect(filesIn(folder)).toEqual(['.github/workflows/manifests.yml', 'README.md', 'package.json']);
    expect(textOf('package.json')).toBe('{}');
  });

  test.each<[string, readonly string[], string]>([
    [
      'unknown options, which are shown with the nearest one',
      ['--modle', 'Qwen/Qwen3-8B', '--buckets=b', '-y'],
      `--modle: unknown option; did you mean '--model'?
--buckets: unknown option; did you mean '--bucket'?
-y: unknown option; use --help, which lists the options
`,
    ],
    [
      'values that are not valid, all at once',
      [
        '--server=vlm',
        '--bucket=B_',
        '--model-size=3',
        '--max-model-len=8k',
        '--generation=v7',
        '--namespace=A',
      ],
      `--server: 'vlm' is not known; use one of 'vllm', 'jetstream', 'saxml', 'ray', 'any', for example 'vllm'
--model-size: '3' is less than 1 MB; use bytes with a suffix, for example '3G'
--max-model-len: '8k' is not a whole number; use a number of tokens, for example 8192
--generation: 'v7' is not known; use one of 'v4', 'v5e', 'v5p', 'v6e', 'tpu7x', for example 'v4'
--namespace: 'A' is not a DNS label; use lower-case letters, digits and '-', starting and ending with a letter or digit, for example 'a'
--bucket: 'B_' is not a bucket name; use 3 to 63 lower-case letters, digits, '-', '_' and '.', for example 'b-bucket'
`,
    ],
    [
      'numbers that are too small or too large',
      ['--model=acme/foo', '--max-model-len=-1', '--model-size=999999T'],
      `--model-size: '999999T' is more than 1 PB; use the size of the weights, for example '16G'
--max-model-len: '-1' is not a whole number of at least 1; use 1
`,
    ],
    [
      'quotes and line ends in names',
      ["--model=acme/it's", '--name=a\nb', "--import-path=a'b"],
      `--model: 'acme/it's' is not a model; use ORGANIZATION/MODEL or gs://BUCKET/FOLDER, for example 'Qwen/Qwen3-4B'
--import-path: 'a'b' is not an import path; use MODULE:VARIABLE, for example 'serve:deployment'
--name: 'a\\nb' is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-', for example 'a-b'
--import-path: is not an option of vllm; use it with ray only
`,
    ],
    [
      'an import path with an empty name in it',
      ['--server=ray', '--import-path=a..b:c'],
      "--import-path: 'a..b:c' is not an import path; use MODULE:VARIABLE, for example 'serve:deployment'\n",
    ],
    [
      'a token in place of its Secret, which is not repeated',
      ['--token-secret=hf_abcdefghijklmnop'],
      '--token-secret: is itself a Hugging Face token; use the name of a Secret that contains it, from: kubectl create secret generic hf-secret --from-literal=hf_api_token=…\n',
    ],
    [
      'a model of unknown size',
      ['--model=acme/foo'],
      "--model: 'acme/foo' is not a known model, and its name does not contain its size; add --model-size with the size of its weights, for example '16G'\n",
    ],
    [
      'a server without a model or its size',
      ['--server=any'],
      "--model-size: required unless there is a model; use the size of the weights, for example '16G'\n",
    ],
    [
      'a model that no slice of one host holds',
      ['--server=jetstream', '--model=acme/foo-70b'],
      "--generation: 'v5e' has no slice on one host that holds the model: 140 GB of weights (KV cache not counted) need 186.3 GiB of HBM at 70% utilization, and the largest has 128 GiB; use 'tpu7x-standard-1t/1x1x1' (1 host, 192 GiB)\n",
    ],
    [
      'a model that JetStream does not convert',
      ['--server=jetstream', '--model=acme/foo-7b', '--bucket=my-models'],
      "--model: 'acme/foo-7b' is not a model that JetStream converts into a bucket; use a Gemma, Llama or Mixtral model with its size in its name, like 'meta-llama/Meta-Llama-3-8B'\n",
    ],
    [
      'options of another server',
      ['--server=saxml', '--image=a/b:v1', '--generation=v6e'],
      `--image: is not an option of saxml; use it with vllm, ray or any only
--bucket: required for saxml, for example 'my-sax'
--generation: 'v6e' is not a chip that Saxml is known to run on; use 'v4' or 'v5e'
`,
    ],
    [
      'a model that vLLM serves only with other options',
      ['--model=deepseek-ai/DeepSeek-V3'],
      "--model: 'deepseek-ai/DeepSeek-V3' has multi-head latent attention, which vLLM on TPU supports only with attention data parallelism; use another model, or write a VllmServer with NEW_MODEL_DESIGN=1 in env, and enable_dp_attention in --additional-config\n",
    ],
    [
      'a bucket beside another one',
      ['--model=gs://my-models/Qwen3-32B', '--bucket=other'],
      "--bucket: 'other' is not needed, because vLLM streams the weights from 'my-models'; remove it\n",
    ],
    [
      'a folder of a bucket for another server',
      ['--server=ray', '--model=gs://my-models/Qwen3-32B'],
      "--model: 'gs://my-models/Qwen3-32B' is not a model for ray; use ORGANIZATION/MODEL\n",
    ],
  ])('for %s', (_, argv, stderr) => {
    expect(call(folder, ...argv)).toEqual({ code: 2, stdout: '', stderr });
    expect(filesIn(folder)).toEqual([]);
  });

  test.each<[string, () => readonly string[], string]>([
    ['two folders', () => [folder, 'b'], "folder: 'b' is a second folder; use one\n"],
    [
      'a file in place of a folder',
      () => {
        writeFileSync(path.join(folder, 'file'), '');
        return [path.join(folder, 'file')];
      },
      "folder: 'FOLDER/file' is a file; use a new or empty folder\n",
    ],
    [
      'a folder in a file',
      () => {
        writeFileSync(path.join(folder, 'file'), '');
        return [path.join(folder, 'file', 'below')];
      },
      "folder: 'FOLDER/file/below' cannot be written (ENOTDIR); use a folder that you can write to\n",
    ],
    [
      'a folder that the system cannot create',
      () => ['/proc/x'],
      "folder: '/proc/x' cannot be written (ENOENT); use a folder that you can write to\n",
    ],
    ['an empty folder name', () => [''], "folder: '' is blank; use a path, or '.' for the current folder\n"],
    [
      'a folder name of spaces',
      () => [' '],
      "folder: ' ' is blank; use a path, or '.' for the current folder\n",
    ],
  ])('for %s', (_, argv, stderr) => {
    expect(call(...argv())).toEqual({ code: 2, stdout: '', stderr });
  });

  test.each<[string, string]>([
    ['--max-model-len=1.5', "'1.5' is not a whole number of at least 1; use 2"],
    ['--max-model-len=0', "'0' is not a whole number of at least 1; use 1"],
    ['--max-model-len=', "'' is not a whole number; use a number of tokens, for example 8192"],
  ])('for %s', (option, problem) => {
    expect(call(folder, option).stderr).toBe(`--max-model-len: ${problem}\n`);
  });

  test('creates missing parents of the folder', () => {
    expect(call(path.join(folder, 'a', 'b')).code).toBe(0);
    expect(filesIn(path.join(folder, 'a', 'b'))).toEqual(FILES);
  });
});

describe('on a terminal', () => {
  /** Answers the questions of a terminal one by one; the input ends after the last reply. */
  async function talk(
    options: Readonly<Record<string, string>>,
    replies: readonly string[],
  ): Promise<Written & { readonly questions: readonly string[] }> {
    const questions: string[] = [];
    const written = { stdout: '', stderr: '' };
    const io = {
      stdout: (text: string) => (written.stdout += text),
      stderr: (text: string) => (written.stderr += text),
    };
    const rest = [...replies];
    const ask = (question: string): Promise<string | undefined> => {
      questions.push(question);
      return Promise.resolve(rest.shift());
    };
    const code = await initAsking({ args: [folder], options, root }, io, ask);
    expect(rest).toEqual([]);
    return { code, ...written, questions };
  }

  test('prompts for every option, and Enter selects the default', async () => {
    const { code, stderr, questions } = await talk({}, ['', '', '', '', '', '']);
    expect({ code, stderr, questions }).toEqual({
      code: 0,
      stderr: '',
      questions: [
        'Server: vllm, jetstream, saxml, ray or any (vllm): ',
        'Model: a Hugging Face id, or gs://BUCKET/FOLDER for vllm (Qwen/Qwen3-4B): ',
        'TPU generation: v4, v5e, v5p, v6e or tpu7x (v6e): ',
        'Secret with a Hugging Face token, if the model requires one (none): ',
        'Namespace (the one that you apply to): ',
        'Bucket that keeps the weights (none): ',
      ],
    });
    expect(filesIn(folder)).toEqual(FILES);
  });

  test('asks again after an invalid reply, and asks only for options that are not set', async () => {
    const { code, stderr, questions } = await talk({ server: 'saxml', namespace: 'serving' }, [
      'acme/foo',
      '',
      '30 GB',
      '30G',
      'v6e',
      'v4',
      '',
      'my-sax',
    ]);
    expect({ code, questions }).toEqual({
      code: 0,
      questions: [
        'Model: a Hugging Face id, or gs://BUCKET/FOLDER for vllm (none): ',
        'Size of its weights, like 16G: ',
        'Size of its weights, like 16G: ',
        'Size of its weights, like 16G: ',
        'TPU generation: v4, v5e, v5p, v6e or tpu7x (v5e): ',
        'TPU generation: v4, v5e, v5p, v6e or tpu7x (v5e): ',
        'Bucket that keeps the weights: ',
        'Bucket that keeps the weights: ',
      ],
    });
    expect(stderr).toBe(`--model-size: required
--model-size: '30 GB' is not a quantity; use a number with a suffix, for example '30G'
--generation: 'v6e' is not a chip that Saxml is known to run on; use 'v4' or 'v5e'
--bucket: required
`);
    expect(textOf('main.ts')).toContain("modelSize: '30G'");
  });

  test('writes nothing if the input ends', async () => {
    expect(await talk({}, ['', ''])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: '\nnothing was written\n',
    });
    expect(filesIn(folder)).toEqual([]);
  });

  test('asks nothing if an option is not valid', async () => {
    expect(await talk({ generation: 'v7', server: 'ray' }, [])).toMatchObject({ code: 2, questions: [] });
  });

  test('asks nothing if the folder has files of a project', async () => {
    writeFileSync(path.join(folder, 'main.ts'), '');
    expect(await talk({}, [])).toMatchObject({ code: 2, questions: [] });
  });
});
