import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type KubernetesObject } from './api';
import { type ControlPlane } from './control-plane';
import { serviceAccount } from './identities';
import { documentsIn, install, kustomize } from './install';
import { freePorts, type Running, start } from './process';
import { moduleFolder, type Programs } from './tools';

// KWOK replaces the kubelets: it reports nodes and pods as ready, in the stages that its own module contains.

// `pod-complete` is missing: with it, every pod of a Job would succeed at once, and no test would see it run
const STAGES = [
  'node/fast/node-initialize.yaml',
  'node/heartbeat-with-lease/node-heartbeat-with-lease.yaml',
  'pod/fast/pod-ready.yaml',
  'pod/fast/pod-delete.yaml',
];

/** A pod with this annotation never becomes ready: its containers run, and their startup probes do not succeed. */
export const STARTING = 'cluster-test/starting';

/** Who KWOK is for the API server. */
export const KWOK = serviceAccount('kube-system', 'kwok-controller');

interface Stage extends KubernetesObject {
  spec: {
    selector: { matchExpressions: { key: string; operator: string; values?: string[] }[] };
    next: { statusTemplate?: string };
  };
}

const whenStarting = (operator: 'Exists' | 'DoesNotExist'): { key: string; operator: string } => ({
  key: `.metadata.annotations["${STARTING}"]`,
  operator,
});

/** KWOK's stage that makes a pod ready, and a copy of it that makes pods run without being ready. */
function readyOrStarting(stage: Stage): readonly Stage[] {
  if (stage.metadata.name !== 'pod-ready') return [stage];
  const ready = structuredClone(stage);
  ready.spec.selector.matchExpressions.push(whenStarting('DoesNotExist'));
  const starting = structuredClone(stage);
  starting.metadata.name = 'pod-starting';
  starting.spec.selector.matchExpressions.push(whenStarting('Exists'));
  starting.spec.next.statusTemplate = (stage.spec.next.statusTemplate ?? '')
    .replaceAll(/status: "True"(\s+type: (?:Ready|ContainersReady)\n)/g, 'status: "False"$1')
    .replace('ready: true', 'ready: false');
  return [ready, starting];
}

/** Starts KWOK for all nodes. */
export async function startKwok(
  { folder, api, kubeconfigOf }: ControlPlane,
  programs: Programs,
  running: Running[],
): Promise<void> {
  const module = path.join(moduleFolder('kwok'), 'kustomize');
  await install(api, await kustomize(programs['kubectl'] ?? '', path.join(module, 'rbac')));
  const stages = STAGES.flatMap((file) =>
    documentsIn(readFileSync(path.join(module, 'stage', file), 'utf8')),
  ).flatMap((stage) => readyOrStarting(stage as Stage));
  const config = path.join(folder, 'kwok.yaml');
  writeFileSync(config, stages.map((stage) => JSON.stringify(stage)).join('\n---\n'));
  const [port = 0] = await freePorts(1);
  running.push(
    start(folder, 'kwok', programs['kwok'] ?? '', [
      `--kubeconfig=${kubeconfigOf('kwok', KWOK)}`,
      `--config=${config}`,
      '--manage-all-nodes=true',
      '--node-ip=10.1.0.1',
      '--cidr=10.2.0.0/16',
      '--node-lease-duration-seconds=40',
      `--server-address=127.0.0.1:${String(port)}`,
    ]),
  );
}
