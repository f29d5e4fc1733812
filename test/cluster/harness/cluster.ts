import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Access } from './api';
import {
  CONTROLLER_MANAGER,
  type ControlPlane,
  SCHEDULER,
  startControlPlane,
  startKubernetesControllers,
} from './control-plane';
import { crdsOf, install } from './install';
import { KWOK, startKwok } from './kwok';
import { operatorIdentities, startOperators } from './operators';
import { removeAtEnd, type Running } from './process';
import { type Programs } from './tools';

/** The data about the cluster that the tests read. */
export interface ClusterFile {
  readonly access: Access;
  readonly kubeconfig: string;
  readonly programs: Programs;
  /** Whether controllers, scheduler and kubelets run. */
  readonly controllers: boolean;
  /** All kinds that the server knows, as `apiVersion kind`. */
  readonly served: readonly string[];
  /** The processes of the cluster, for the test that they end. */
  readonly processes: readonly number[];
  /** Logs of the programs. */
  readonly folder: string;
}

export interface Cluster {
  readonly file: ClusterFile;
  /** Throws if a process of the cluster has ended. */
  readonly assertAlive: () => void;
  readonly stop: () => Promise<void>;
}

interface Discovered {
  readonly groups?: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[];
  readonly resources?: readonly { readonly kind: string; readonly name: string }[];
}

/** All kinds that the server knows, as `apiVersion kind`. */
async function servedKinds({ api }: ControlPlane): Promise<readonly string[]> {
  const get = async (url: string): Promise<Discovered> =>
    (await api.demand('GET', url)) as unknown as Discovered;
  const { groups = [] } = await get('/apis');
  const versions = groups.flatMap((group) => group.versions.map(({ groupVersion }) => groupVersion));
  const kinds = await Promise.all(
    ['v1', ...versions].map(async (version) => {
      const { resources = [] } = await get(version === 'v1' ? '/api/v1' : `/apis/${version}`);
      return resources.filter(({ name }) => !name.includes('/')).map(({ kind }) => `${version} ${kind}`);
    }),
  );
  return kinds.flat();
}

/** Installs the CRDs of a folder that are not installed yet. */
async function installFurtherCrds(controlPlane: ControlPlane, folder: string): Promise<void> {
  const known = new Set(
    (await servedKinds(controlPlane)).map((one) => one.replace(/(\/\S+)? (\S+)$/, ' $2')),
  );
  await install(
    controlPlane.api,
    crdsOf(folder, (kind, group) => !known.has(`${group} ${kind}`)),
  );
}

/** Starts everything that the programs allow. */
export async function startCluster(programs: Programs, controllers: boolean): Promise<Cluster> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cluster-test-'));
  const janitor = removeAtEnd(folder);
  const running: Running[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(running.map((one) => one.stop()));
    janitor.stop();
  };
  try {
    const identities = [CONTROLLER_MANAGER, SCHEDULER, KWOK, ...operatorIdentities()];
    const controlPlane = await startControlPlane(folder, programs, identities, running);
    if (controllers) {
      await startKubernetesControllers(controlPlane, programs, running);
      await startOperators(controlPlane, programs, running);
      await startKwok(controlPlane, programs, running);
    }
    const crds = process.env['CRD_DIR'];
    if (crds !== undefined) await installFurtherCrds(controlPlane, crds);
    return {
      file: {
        access: controlPlane.access,
        kubeconfig: controlPlane.kubeconfig,
        programs,
        controllers,
        served: await servedKinds(controlPlane),
        processes: [...running, janitor].map(({ pid }) => pid),
        folder,
      },
      assertAlive: () => {
        for (const one of running) one.assertAlive();
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
