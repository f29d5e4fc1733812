import { readFileSync } from 'node:fs';
import { Api, type KubernetesObject } from './api';
import { type ClusterFile } from './cluster';
import { kubectl, type Output } from './kubectl';

// The cluster that `npm run test:cluster` has started, for a test file.

const file = process.env['CLUSTER_FILE'];
if (file === undefined) throw new Error('these tests need a cluster: start them with `npm run test:cluster`');

export const cluster = JSON.parse(readFileSync(file, 'utf8')) as ClusterFile;

export const api = new Api(cluster.access);

/** Runs kubectl as the administrator. */
export const runKubectl = (...args: readonly string[]): Promise<Output> =>
  kubectl(cluster.programs['kubectl'] ?? '', cluster.kubeconfig, args);

/** Applies objects as `kubectl apply` does, to a namespace unless they name one. */
export const applyWithKubectl = (objects: readonly object[], namespace: string): Promise<Output> =>
  kubectl(
    cluster.programs['kubectl'] ?? '',
    cluster.kubeconfig,
    ['apply', '--namespace', namespace, '--filename', '-'],
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
  );

const served = new Set(cluster.served);

/** Whether the API server knows a kind. */
export const isServed = ({ apiVersion, kind }: KubernetesObject): boolean =>
  served.has(`${apiVersion} ${kind}`);
