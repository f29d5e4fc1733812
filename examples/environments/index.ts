import path from 'node:path';
import { type App, Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import { GcsFuseVolume, HuggingFaceToken, VllmMetric, VllmServer, WorkloadIdentity } from '../../lib';
import { type Environment, readEnvironments } from './config';

/** Llama 3.1 8B with vLLM in one environment. It has an autoscaler if minReplicas and maxReplicas differ. */
export class Llama extends Chart {
  constructor(scope: Construct, environment: Environment) {
    const { name, namespace, projectId, projectNumber, bucketName, slice, capacity } = environment;
    const { minReplicas, maxReplicas } = environment;
    super(scope, `llama-${name}`, { namespace });

    const identity = new WorkloadIdentity(this, 'identity', { name: 'llama', projectId, projectNumber });

    new VllmServer(this, 'server', {
      name: 'llama',
      model: 'meta-llama/Llama-3.1-8B',
      slice,
      capacity,
      modelCache: new GcsFuseVolume({
        bucketName,
        mountPath: '/data',
        cache: { medium: 'ram', sizeLimit: '32Gi' }, // 16 GB of weights
        sidecar: GcsFuseVolume.UNLIMITED_SIDECAR,
      }),
      huggingFaceToken: HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'),
      serviceAccountName: identity.serviceAccountName,
      maxModelLen: 4096,
      ...(minReplicas === maxReplicas
        ? { replicas: minReplicas }
        : {
            autoscaling: { minReplicas, maxReplicas, metric: VllmMetric.REQUESTS_WAITING, averageValue: 10 },
          }),
    });
  }
}

/**
 * Returns the app of each environment in environments.yaml.
 *
 * @param appOf - returns an app that renders into `environments/NAME`
 * @returns the apps by their folders
 */
export function addEnvironments(appOf: (folder: string) => App): Readonly<Record<string, App>> {
  const environments = readEnvironments(path.join(__dirname, 'environments.yaml'));
  return Object.fromEntries(
    environments.map((environment) => {
      const folder = `environments/${environment.name}`;
      const app = appOf(folder);
      new Llama(app, environment);
      return [folder, app];
    }),
  );
}
