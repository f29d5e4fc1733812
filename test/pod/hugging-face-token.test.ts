import { HuggingFaceToken, podTemplate, type PodFragment } from '../../lib';
import { refusal } from '../refusal';

const TOKEN = `hf_${'Ab1'.repeat(11)}`;
const token = HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token');
const pod = (fragment: PodFragment): unknown =>
  podTemplate({ container: { name: 'server', image: 'server:v1' }, given: [fragment] });

test('in the environment, the token has both names and refers to the Secret', () => {
  const valueFrom = { secretKeyRef: { name: 'hf-secret', key: 'hf_api_token' } };
  expect(pod(token.asEnv())).toHaveProperty('spec.containers.0.env', [{ name: 'HF_TOKEN', valueFrom }]);
});

test('a token file has the name that the servers read, and only its owner can read it', () => {
  expect(pod(token.asFile('/huggingface'))).toEqual({
    metadata: {},
    spec: {
      containers: [
        {
          name: 'server',
          image: 'server:v1',
          volumeMounts: [{ name: 'huggingface-credentials', mountPath: '/huggingface', readOnly: true }],
        },
      ],
      volumes: [
        {
          name: 'huggingface-credentials',
          secret: {
            secretName: 'hf-secret',
            defaultMode: 0o400,
            items: [{ key: 'hf_api_token', path: 'HUGGINGFACE_TOKEN' }],
          },
        },
      ],
    },
  });
});

test('a token file does not rename a key that already has this name', () => {
  const { volumes } = HuggingFaceToken.fromSecret('hf-secret', 'HUGGINGFACE_TOKEN').asFile('/huggingface');
  expect(volumes).toEqual([
    { name: 'huggingface-credentials', secret: { secretName: 'hf-secret', defaultMode: 0o400 } },
  ]);
});

test.each([
  ['s', 'k'],
  ['s1', '.dockerconfig_Json-1'],
  ['s'.repeat(253), 'k'.repeat(253)],
])('accepts Secret %s with key %s', (secretName, key) => {
  expect(HuggingFaceToken.fromSecret(secretName, key)).toMatchObject({ secretName, key });
});

test('a token is frozen', () => {
  expect(token).toMatchObject({ secretName: 'hf-secret', key: 'hf_api_token' });
  expect(Object.isFrozen(token)).toBe(true);
});

describe('a HuggingFaceToken', () => {
  const itself = (prop: string): string =>
    `huggingFaceToken.${prop}: is itself a Hugging Face token; use the name of a Secret that contains it, from: kubectl create secret generic hf-secret --from-literal=hf_api_token=…`;
  const secret = "is not a DNS name; use at most 253 lower-case letters, digits, '-' and '.', for example";
  const key =
    "is not a key of a Secret; use letters, digits, '-', '_' and '.', not starting with '..', for example 'hf_api_token'";

  test.each<[string, string, ...(readonly string[])]>([
    [TOKEN, 'hf_api_token', itself('secretName')],
    ['hf-secret', TOKEN, itself('key')],
    [TOKEN, TOKEN, itself('secretName'), itself('key')],
    ['HF_SECRET', 'token', `huggingFaceToken.secretName: 'HF_SECRET' ${secret} 'hf-secret'`],
    ['', 'token', `huggingFaceToken.secretName: '' ${secret} 'x'`],
    ['-hf', 'token', `huggingFaceToken.secretName: '-hf' ${secret} 'hf'`],
    [
      's'.repeat(254),
      'token',
      `huggingFaceToken.secretName: '${'s'.repeat(77)}...' ${secret} '${'s'.repeat(253)}'`,
    ],
    ['hf-secret', 'k'.repeat(254), `huggingFaceToken.key: '${'k'.repeat(77)}...' ${key}`],
    ['hf-secret', '', `huggingFaceToken.key: '' ${key}`],
    ['hf-secret', 'api token', `huggingFaceToken.key: 'api token' ${key}`],
    ['hf..secret', 'token', `huggingFaceToken.secretName: 'hf..secret' ${secret} 'hf.secret'`],
    [` ${TOKEN} `, 'token', itself('secretName')],
    ['hf-secret', '.', `huggingFaceToken.key: '.' ${key}`],
    ['hf-secret', '..', `huggingFaceToken.key: '..' ${key}`],
    ['hf-secret', '..token', `huggingFaceToken.key: '..token' ${key}`],
    ['hf-secret', 'data/token', `huggingFaceToken.key: 'data/token' ${key}`],
    [
      'Secret',
      'a/b',
      `huggingFaceToken.secretName: 'Secret' ${secret} 'secret'`,
      `huggingFaceToken.key: 'a/b' ${key}`,
    ],
  ])('rejects Secret %s with key %s', (secretName, secretKey, ...problems) => {
    const make = (): unknown => HuggingFaceToken.fromSecret(secretName, secretKey);
    expect(refusal(make)).toBe(problems.join('\n'));
    expect(make).not.toThrow(TOKEN);
  });

  test('rejects a relative folder', () => {
    expect(refusal(() => token.asFile('huggingface'))).toBe(
      "huggingFaceToken.mountPath: 'huggingface' is not an absolute path; use a path that starts with '/', without ':' and spaces, for example '/huggingface'",
    );
  });
});
