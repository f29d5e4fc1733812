import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Access, Api } from './api';
import { administrator, type Identity, systemUser, writeKubeconfig, writeTokens } from './identities';
import { freePorts, type Running, start } from './process';
import { type Programs } from './tools';
import { eventually } from './wait';

/** etcd and the API server, and how to reach them. */
export interface ControlPlane {
  readonly folder: string;
  readonly access: Access;
  readonly api: Api;
  readonly kubeconfig: string;
  readonly kubeconfigOf: (name: string, identity: Identity) => string;
  readonly serviceAccountKey: string;
}

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Starts etcd and the API server. The identities are those who may call it, besides the administrator. */
export async function startControlPlane(
  folder: string,
  programs: Programs,
  identities: readonly Identity[],
  running: Running[],
): Promise<ControlPlane> {
  const [client = 0, peer = 0, secure = 0] = await freePorts(3);
  const etcd = `http://127.0.0.1:${String(client)}`;
  const etcdPeer = `http://127.0.0.1:${String(peer)}`;
  running.push(
    start(folder, 'etcd', programs['etcd'] ?? '', [
      `--data-dir=${path.join(folder, 'etcd')}`,
      `--listen-client-urls=${etcd}`,
      `--advertise-client-urls=${etcd}`,
      `--listen-peer-urls=${etcdPeer}`,
      `--initial-advertise-peer-urls=${etcdPeer}`,
      `--initial-cluster=default=${etcdPeer}`,
      '--unsafe-no-fsync',
      '--log-level=warn',
    ]),
  );

  const certificates = path.join(folder, 'apiserver');
  mkdirSync(certificates);
  const serviceAccountKey = path.join(folder, 'service-accounts.key');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(serviceAccountKey, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  const admin = administrator();
  const tokens = path.join(folder, 'tokens.csv');
  writeTokens(tokens, [admin, ...identities]);

  const apiServer = start(folder, 'kube-apiserver', programs['kube-apiserver'] ?? '', [
    `--etcd-servers=${etcd}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${String(secure)}`,
    `--cert-dir=${certificates}`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${serviceAccountKey}`,
    `--service-account-signing-key-file=${serviceAccountKey}`,
    '--service-cluster-ip-range=10.0.0.0/16',
    `--token-auth-file=${tokens}`,
    '--authorization-mode=Node,RBAC',
    // GKE lets pods that request chips tolerate the taint of TPU nodes
    '--enable-admission-plugins=ExtendedResourceToleration',
    '--allow-privileged',
    '--profiling=false',
  ]);
  running.push(apiServer);

  const certificateAuthority = await eventually(async () => {
    apiServer.assertAlive();
    const chain = readFileSync(path.join(certificates, 'apiserver.crt'), 'utf8').match(PEM) ?? [];
    if (chain.length < 2) throw new Error('the API server has not written its certificates');
    return Promise.resolve(chain.slice(1).join('\n'));
  });
  const access = {
    server: `https://127.0.0.1:${String(secure)}`,
    certificateAuthority,
    token: admin.token,
  };
  const api = new Api(access);
  await eventually(() => {
    apiServer.assertAlive();
    return api.demand('GET', '/readyz');
  });
  const kubeconfigOf = (name: string, identity: Identity): string =>
    writeKubeconfig(folder, name, access.server, certificateAuthority, identity);
  return {
    folder,
    access,
    api,
    kubeconfig: kubeconfigOf('administrator', admin),
    kubeconfigOf,
    serviceAccountKey,
  };
}

export const CONTROLLER_MANAGER = systemUser('kube-controller-manager');
export const SCHEDULER = systemUser('kube-scheduler');

/** Starts the controllers of Kubernetes and its scheduler. */
export async function startKubernetesControllers(
  { folder, kubeconfigOf, serviceAccountKey, access }: ControlPlane,
  programs: Programs,
  running: Running[],
): Promise<void> {
  const [manager = 0, scheduler = 0] = await freePorts(2);
  const rootCa = path.join(folder, 'root-ca.crt');
  writeFileSync(rootCa, access.certificateAuthority);
  const common = (name: string, identity: Identity, port: number): readonly string[] => {
    const kubeconfig = kubeconfigOf(name, identity);
    return [
      `--kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${String(port)}`,
      `--cert-dir=${path.join(folder, name)}`,
      '--leader-elect=false',
    ];
  };
  running.push(
    start(folder, 'kube-controller-manager', programs['kube-controller-manager'] ?? '', [
      ...common('kube-controller-manager', CONTROLLER_MANAGER, manager),
      `--service-account-private-key-file=${serviceAccountKey}`,
      `--root-ca-file=${rootCa}`,
      '--use-service-account-credentials',
    ]),
    start(folder, 'kube-scheduler', programs['kube-scheduler'] ?? '', [
      ...common('kube-scheduler', SCHEDULER, scheduler),
    ]),
  );
}
