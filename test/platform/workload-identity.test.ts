import { Chart, Testing } from 'cdk8s';
import { WorkloadIdentity, type WorkloadIdentityProps } from '../../lib';
import { refusal } from '../refusal';

const identity = (props: Partial<WorkloadIdentityProps>, chart = Testing.chart()): WorkloadIdentity =>
  new WorkloadIdentity(chart, 'vllm', { projectId: 'my-project', ...props });

const DIRECT = { projectNumber: '123456789012' };
const LINKED = { iamServiceAccount: 'my-models-reader' };
const principal = (pool: string, subject: string): string =>
  `principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/${pool}/subject/${subject}`;

const labels = (name: string): Record<string, string> => ({
  'app.kubernetes.io/name': 'workload-identity',
  'app.kubernetes.io/instance': name,
  'app.kubernetes.io/component': 'identity',
});

describe('roles granted directly to the ServiceAccount', () => {
  test('leave the ServiceAccount without annotations', () => {
    const chart = Testing.chart();
    expect(identity(DIRECT, chart).serviceAccountName).toBe('vllm');
    expect(Testing.synth(chart)).toEqual([
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'vllm', labels: labels('vllm') } },
    ]);
  });

  test('can have a ServiceAccount whose name is too long for a label', () => {
    const name = `${'a'.repeat(63)}.b`;
    expect(identity({ ...DIRECT, name }).serviceAccount.toJson()).toMatchObject({
      metadata: {
        labels: { 'app.kubernetes.io/name': 'workload-identity', 'app.kubernetes.io/component': 'identity' },
      },
    });
  });

  test('need one command', () => {
    expect(identity(DIRECT).bindingCommands('gs://my-models/Qwen3-32B').join()).toMatch(
      /^gcloud storage buckets add-iam-policy-binding gs:\/\/my-models --member .* --role "roles\/storage.objectViewer"$/,
    );
    expect(identity(DIRECT).bindingCommands('my-models')).toEqual([
      `gcloud storage buckets add-iam-policy-binding gs://my-models --member "${principal('my-project.svc.id.goog', 'ns/default/sa/vllm')}" --role "roles/storage.objectUser"`,
    ]);
  });

  test('name a member with the ServiceAccount, its namespace and the pool', () => {
    const made = identity({
      ...DIRECT,
      name: 'reader',
      namespace: 'serving',
      workloadPoolDomain: 's3ns.svc.id.goog',
    });
    expect(made.serviceAccount.toJson()).toEqual({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'reader', namespace: 'serving', labels: labels('reader') },
    });
    expect(made.member).toBe(principal('my-project.s3ns.svc.id.goog', 'ns/serving/sa/reader'));
    expect(made.bindingCommands('b-1', 'roles/storage.objectViewer').join()).toMatch(
      / gs:\/\/b-1 .*--role "roles\/storage\.objectViewer"$/,
    );
  });

  test('use the namespace of the chart', () => {
    const chart = new Chart(Testing.app(), 'chart', { namespace: 'serving' });
    const { namespace, member } = identity(DIRECT, chart);
    expect([namespace, member]).toEqual([
      'serving',
      principal('my-project.svc.id.goog', 'ns/serving/sa/vllm'),
    ]);
    expect(Testing.synth(chart)).toMatchObject([{ metadata: { name: 'vllm', namespace: 'serving' } }]);
  });
});

describe('an IAM service account to act as', () => {
  test('is named in the annotation', () => {
    const chart = Testing.chart();
    const { member } = identity(LINKED, chart);
    const email = 'my-models-reader@my-project.iam.gserviceaccount.com';
    expect(member).toBe(`serviceAccount:${email}`);
    expect(Testing.synth(chart)).toEqual([
      {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: {
          name: 'vllm',
          labels: labels('vllm'),
          annotations: { 'iam.gke.io/gcp-service-account': email },
        },
      },
    ]);
  });

  test('is created, gets the role, and lets the ServiceAccount act as it', () => {
    const linked = identity({
      ...LINKED,
      namespace: 'serving',
      workloadPoolDomain: 's3ns.svc.id.goog',
      serviceAccountDomain: 's3ns.iam.gserviceaccount.com',
    });
    const email = 'my-models-reader@my-project.s3ns.iam.gserviceaccount.com';
    expect(linked.bindingCommands('my-models')).toEqual([
      'gcloud iam service-accounts create my-models-reader --project my-project',
      `gcloud storage buckets add-iam-policy-binding gs://my-models --member "serviceAccount:${email}" --role "roles/storage.objectUser"`,
      `gcloud iam service-accounts add-iam-policy-binding ${email} --role roles/iam.workloadIdentityUser --member "serviceAccount:my-project.s3ns.svc.id.goog[serving/vllm]"`,
    ]);
  });
});

test.each<Partial<WorkloadIdentityProps>>([
  { projectId: 'abcdef', projectNumber: '123456' },
  { projectId: `a${'-1'.repeat(14)}z`, projectNumber: '1'.repeat(19) },
  { iamServiceAccount: 'abcdef' },
  { iamServiceAccount: `a${'-1'.repeat(14)}z` },
])('accepts %j, as short or long as possible', (props) => {
  expect(identity(props).serviceAccountName).toBe('vllm');
});

test('accepts a domain-scoped project, a namespace with a digit and a name with a dot', () => {
  const props = { ...DIRECT, projectId: 'example.com:my-project', namespace: '1st', name: 'a.b' };
  expect(identity(props).member).toBe(principal('example.com:my-project.svc.id.goog', 'ns/1st/sa/a.b'));
});

test('the account takes precedence over a direct grant', () => {
  expect(identity({ ...DIRECT, ...LINKED }).member).toBe(identity(LINKED).member);
});

test.each([
  [
    'gs://my-models',
    undefined,
    "bucketName: 'gs://my-models' is a URL; use the bucket's name alone, for example 'my-models'",
  ],
  [
    'my-models',
    'roles/storage.admin" && rm',
    `role: 'roles/storage.admin" && rm' is not a role; use a role like 'roles/storage.objectViewer'`,
  ],
])('rejects a command for bucket %s and role %s', (bucket, role, problem) => {
  expect(refusal(() => identity(DIRECT).bindingCommands(bucket, role))).toBe(`test/vllm ${problem}`);
});

test.each(['projects/my-project/roles/reader', 'organizations/1234/roles/my.Reader'])(
  'accepts role %s',
  (role) => {
    expect(identity(DIRECT).bindingCommands('my-models', role).join()).toContain(`--role "${role}"`);
  },
);

describe('a workload identity with a mistake', () => {
  const label =
    "is not a DNS label; use lower-case letters, digits and '-', starting and ending with a letter or digit";
  const dnsName = "is not a DNS name; use at most 253 lower-case letters, digits, '-' and '.'";
  const project =
    "is not a project ID; use 6 to 30 lower-case letters, digits and '-', starting with a letter";
  const number =
    "is not a project number; use the digits that this command prints: gcloud projects describe PROJECT_ID --format='value(projectNumber)'";
  const account =
    "is not the name of an IAM service account; use 6 to 30 lower-case letters, digits and '-', without the part after '@'";

  test.each<[string, Partial<WorkloadIdentityProps>, ...(readonly string[])]>([
    [
      'neither number nor account',
      {},
      "projectNumber: required for roles that are granted directly to the ServiceAccount; use the number of project 'my-project', or iamServiceAccount",
    ],
    ['the ID for the number', { projectNumber: 'my-project' }, `projectNumber: 'my-project' ${number}`],
    ['a long number', { projectNumber: '1'.repeat(20) }, `projectNumber: '${'1'.repeat(20)}' ${number}`],
    ['a short ID', { ...LINKED, projectId: 'abcde' }, `projectId: 'abcde' ${project}`],
    ['a long ID', { ...LINKED, projectId: 'p'.repeat(31) }, `projectId: '${'p'.repeat(31)}' ${project}`],
    [
      'a long account',
      { iamServiceAccount: 'a'.repeat(31) },
      `iamServiceAccount: '${'a'.repeat(31)}' ${account}`,
    ],
    ['a short number', { projectNumber: '12345' }, `projectNumber: '12345' ${number}`],
    [
      'the number for the ID',
      { ...LINKED, projectId: '123456789012' },
      `projectId: '123456789012' ${project}`,
    ],
    ['a name for the ID', { ...LINKED, projectId: 'My Project' }, `projectId: 'My Project' ${project}`],
    [
      'an e-mail address for the account',
      { iamServiceAccount: 'reader@my-project.iam.gserviceaccount.com' },
      `iamServiceAccount: 'reader@my-project.iam.gserviceaccount.com' ${account}`,
    ],
    ['a short account', { iamServiceAccount: 'vllm' }, `iamServiceAccount: 'vllm' ${account}`],
    [
      'a placeholder for the name',
      { ...DIRECT, name: 'KSA_NAME' },
      `name: 'KSA_NAME' ${dnsName}, for example 'ksa-name'`,
    ],
    [
      'a name that is too long',
      { ...DIRECT, name: 'k'.repeat(254) },
      `name: '${'k'.repeat(77)}...' ${dnsName}, for example '${'k'.repeat(253)}'`,
    ],
    [
      'no namespace',
      { ...DIRECT, namespace: 'Serving' },
      `namespace: 'Serving' ${label}, for example 'serving'`,
    ],
    [
      'a pool without a dot',
      { ...DIRECT, workloadPoolDomain: 'goog' },
      "workloadPoolDomain: 'goog' is not a domain; use a domain, for example 's3ns.svc.id.goog'",
    ],
    [
      'an account in a domain-scoped project',
      { ...LINKED, projectId: 'example.com:my-project' },
      "iamServiceAccount: 'my-models-reader' is in the domain-scoped project 'example.com:my-project', which is not supported; use projectNumber instead, for roles that are granted directly",
    ],
    [
      'an account of a domain without a dot',
      { ...LINKED, serviceAccountDomain: 'goog' },
      "serviceAccountDomain: 'goog' is not a domain; use a domain, for example 's3ns.iam.gserviceaccount.com'",
    ],
    [
      'several mistakes at once',
      { projectId: 'P', iamServiceAccount: 'a', namespace: '-' },
      `namespace: '-' ${label}, for example 'x'`,
      `projectId: 'P' ${project}`,
      `iamServiceAccount: 'a' ${account}`,
    ],
  ])('rejects %s', (_, props, ...problems) => {
    expect(refusal(() => identity(props))).toBe(problems.map((problem) => `test/vllm ${problem}`).join('\n'));
  });
});
