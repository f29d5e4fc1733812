import { execFileSync } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { type KubernetesObject } from './api';
import { type ControlPlane } from './control-plane';
import { type Identity, serviceAccount } from './identities';
import { crdsOf, install, isInstalled, isWebhook, kustomize, onLoopback } from './install';
import { freePorts, type Running, start } from './process';
import { moduleFolder, type ModuleName, type Programs } from './tools';
import { eventually } from './wait';

// The controllers of custom resources. Each runs as a local process with the ServiceAccount and the RBAC of its own manifests.

/** Where a controller listens, and what with. */
interface Place {
  readonly webhook: number;
  readonly health: number;
  /** Folder with tls.crt and tls.key. */
  readonly certificates: string;
}

interface Operator {
  readonly name: ModuleName;
  /** The kustomization of the released manifests, in the folder of the module. */
  readonly kustomization: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  /** The Secret that the controller reads its certificates from, if it insists on one. */
  readonly certificateSecret?: string;
  /** The configuration file, if the controller reads one. */
  readonly configuration?: (place: Place) => object;
  readonly args: (place: Place, configuration: string) => readonly string[];
}

const webhook = ({ webhook: port, certificates }: Place): object => ({
  host: '127.0.0.1',
  port,
  certDir: certificates,
});

const OPERATORS: readonly Operator[] = [
  {
    name: 'jobset',
    kustomization: 'config/default',
    namespace: 'jobset-system',
    serviceAccount: 'jobset-controller-manager',
    configuration: (place) => ({
      apiVersion: 'config.jobset.x-k8s.io/v1alpha1',
      kind: 'Configuration',
      leaderElection: { leaderElect: false },
      internalCertManagement: { enable: false },
      webhook: webhook(place),
    }),
    args: ({ health }, configuration) => [
      `--config=${configuration}`,
      '--metrics-bind-address=0',
      `--health-probe-bind-address=127.0.0.1:${String(health)}`,
    ],
  },
  {
    name: 'lws',
    kustomization: 'config/default',
    namespace: 'lws-system',
    serviceAccount: 'lws-controller-manager',
    configuration: (place) => ({
      apiVersion: 'config.lws.x-k8s.io/v1alpha1',
      kind: 'Configuration',
      leaderElection: { leaderElect: false },
      internalCertManagement: { enable: false },
      metrics: { bindAddress: '0' },
      health: { healthProbeBindAddress: `127.0.0.1:${String(place.health)}` },
      webhook: webhook(place),
    }),
    args: (_, configuration) => [`--config=${configuration}`],
  },
  {
    name: 'kueue',
    kustomization: 'config/default',
    namespace: 'kueue-system',
    serviceAccount: 'kueue-controller-manager',
    // without its own management of certificates Kueue reads others from a fixed folder of the system; a valid Secret is left alone
    certificateSecret: 'kueue-webhook-server-cert',
    configuration: (place) => ({
      apiVersion: 'config.kueue.x-k8s.io/v1beta2',
      kind: 'Configuration',
      namespace: 'kueue-system',
      leaderElection: { leaderElect: false },
      internalCertManagement: {
        enable: true,
        webhookServiceName: 'kueue-webhook-service',
        webhookSecretName: 'kueue-webhook-server-cert',
      },
      metrics: { bindAddress: '0' },
      health: { healthProbeBindAddress: `127.0.0.1:${String(place.health)}` },
      webhook: webhook(place),
      featureGates: { VisibilityOnDemand: false },
      integrations: {
        frameworks: [
          'batch/job',
          'jobset.x-k8s.io/jobset',
          'ray.io/raycluster',
          'ray.io/rayjob',
          'ray.io/rayservice',
          'pod',
          'deployment',
          'statefulset',
          'leaderworkerset.x-k8s.io/leaderworkerset',
        ],
      },
    }),
    args: (_, configuration) => [`--config=${configuration}`],
  },
  {
    name: 'kuberay',
    kustomization: 'config/default',
    namespace: 'ray-system',
    serviceAccount: 'kuberay-operator',
    args: ({ health }) => [
      '--metrics-addr=0',
      `--health-probe-bind-address=127.0.0.1:${String(health)}`,
      '--enable-leader-election=false',
    ],
  },
];

const IDENTITIES: ReadonlyMap<ModuleName, Identity> = new Map(
  OPERATORS.map((operator) => [operator.name, serviceAccount(operator.namespace, operator.serviceAccount)]),
);

/** Who the controllers are, for the API server. */
export const operatorIdentities = (): readonly Identity[] => [...IDENTITIES.values()];

/** A certificate for loopback that is its own authority, with the names and the form of key that Kueue checks. */
function makeCertificates(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const env = { ...process.env, GOTOOLCHAIN: 'local', GOWORK: 'off', GOFLAGS: '' };
  const root = execFileSync('go', ['env', 'GOROOT'], { encoding: 'utf8', env }).trim();
  const generator = path.join(root, 'src', 'crypto', 'tls', 'generate_cert.go');
  const host = 'localhost,127.0.0.1,kueue-ca,kueue-webhook-service.kueue-system.svc';
  execFileSync('go', ['run', generator, '--ca', `--host=${host}`], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const certificate = readFileSync(path.join(folder, 'cert.pem'), 'utf8');
  const key = createPrivateKey(readFileSync(path.join(folder, 'key.pem')));
  writeFileSync(path.join(folder, 'tls.crt'), certificate);
  writeFileSync(path.join(folder, 'tls.key'), key.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  return certificate;
}

const listens = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
  });

/** What an operator's manifests install, its webhooks apart: those refuse everything until the controller listens. */
async function manifestsOf(
  operator: Operator,
  kubectlProgram: string,
): Promise<{
  readonly objects: readonly KubernetesObject[];
  readonly webhooks: readonly KubernetesObject[];
}> {
  const module = moduleFolder(operator.name);
  const rendered = await kustomize(kubectlProgram, path.join(module, operator.kustomization));
  const objects = rendered.filter(isInstalled);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: operator.namespace } };
  return {
    objects: [
      ...(objects.some(({ kind }) => kind === 'Namespace') ? [] : [namespace]),
      ...objects.map((one) => inNamespace(one, operator.namespace)),
    ],
    webhooks: rendered.filter(isWebhook),
  };
}

/** KubeRay's kustomization installs into `default`; here it has its own namespace, as its Helm chart recommends. */
function inNamespace(object: KubernetesObject, namespace: string): KubernetesObject {
  const moved = structuredClone(object);
  if (moved.metadata.namespace === 'default') moved.metadata.namespace = namespace;
  for (const subject of (moved['subjects'] ?? []) as { namespace?: string }[])
    if (subject.namespace === 'default') subject.namespace = namespace;
  return moved;
}

function withCertificate(
  object: KubernetesObject,
  name: string | undefined,
  folder: string,
): KubernetesObject {
  if (object.kind !== 'Secret' || object.metadata.name !== name) return object;
  const read = (file: string): string => readFileSync(path.join(folder, file)).toString('base64');
  return {
    ...object,
    data: {
      'ca.crt': read('tls.crt'),
      'ca.key': read('tls.key'),
      'tls.crt': read('tls.crt'),
      'tls.key': read('tls.key'),
    },
  };
}

/** Installs an operator and starts it; returns what waits until its webhooks answer. */
async function startOperator(
  operator: Operator,
  { folder, api, kubeconfigOf }: ControlPlane,
  programs: Programs,
  running: Running[],
  { folder: certificates, certificate }: { readonly folder: string; readonly certificate: string },
): Promise<() => Promise<void>> {
  const [webhookPort = 0, health = 0] = await freePorts(2);
  const place = { webhook: webhookPort, health, certificates };
  const server = { port: webhookPort, certificate };
  const { objects, webhooks } = await manifestsOf(operator, programs['kubectl'] ?? '');
  const redirected = webhooks.map((one) => onLoopback(one, server));
  await install(
    api,
    objects.map((one) => onLoopback(withCertificate(one, operator.certificateSecret, certificates), server)),
  );
  // Kueue writes its authority into its webhook configurations before it listens, so they must exist. The configurations of the other controllers come last.
  const early = operator.certificateSecret !== undefined;
  if (early) await install(api, redirected);
  const configuration = path.join(folder, `${operator.name}.config.yaml`);
  writeFileSync(configuration, JSON.stringify(operator.configuration?.(place) ?? {}));
  const identity = IDENTITIES.get(operator.name);
  if (!identity) throw new Error(`${operator.name} has no identity`);
  const process = start(
    folder,
    operator.name,
    programs[operator.name] ?? '',
    operator.args(place, configuration),
    { KUBECONFIG: kubeconfigOf(operator.name, identity), POD_NAMESPACE: operator.namespace },
  );
  running.push(process);
  return async () => {
    await eventually(async () => {
      process.assertAlive();
      await listens(place.health);
      if (webhooks.length > 0) await listens(place.webhook);
    });
    if (!early) await install(api, redirected);
  };
}

/** Installs and starts the controllers of custom resources. */
export async function startOperators(
  controlPlane: ControlPlane,
  programs: Programs,
  running: Running[],
): Promise<void> {
  const folder = path.join(controlPlane.folder, 'webhook-certificates');
  const certificates = { folder, certificate: makeCertificates(folder) };
  // Kueue requests nodes with ProvisioningRequests, whose CRD is the cluster autoscaler's; without it, Kueue does not know the check
  const autoscaler = moduleFolder('kueue', 'k8s.io/autoscaler/cluster-autoscaler/apis');
  await install(
    controlPlane.api,
    crdsOf(path.join(autoscaler, 'config', 'crd'), () => true),
  );
  const waits = await Promise.all(
    OPERATORS.map((operator) => startOperator(operator, controlPlane, programs, running, certificates)),
  );
  for (const wait of waits) await wait();
}
