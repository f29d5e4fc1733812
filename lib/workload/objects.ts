import { ApiObject, JsonPatch } from 'cdk8s';
import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
import { type Capacity } from '../pod/capacity';
import { type PodTemplate } from '../pod/template';

/** The spec of a kind that embeds a pod template. */
type Around<Spec> = Omit<Spec, 'template'> & { readonly template: PodTemplate };

// A plain ApiObject holds what is written, to the letter: a JSON patch on it lands even where the 1.29 types know no such field.

/** A Deployment around a pod template. */
export function deployment(
  scope: Construct,
  id: string,
  metadata: k8s.ObjectMeta,
  { template, ...spec }: Around<k8s.DeploymentSpec>,
): ApiObject {
  const typed = k8s.KubeDeployment.manifest({ metadata, spec: { ...spec, template: {} } }) as Manifest;
  return object(scope, id, { ...typed, spec: { ...typed.spec, template } });
}

/** A Job around a pod template. Where its capacity is waited for in a queue, the Job says so; Kueue suspends it until then. */
export function job(
  scope: Construct,
  id: string,
  metadata: k8s.ObjectMeta,
  { template, ...spec }: Around<k8s.JobSpec>,
  capacity?: Capacity,
): ApiObject {
  const { labels, annotations } = capacity?.jobMetadata ?? {};
  const queued = { ...metadata, labels: { ...metadata.labels, ...labels }, annotations };
  const typed = k8s.KubeJob.manifest({ metadata: queued, spec: { ...spec, template: {} } }) as Manifest;
  return object(scope, id, { ...typed, spec: { ...typed.spec, template } });
}

/** An object of any kind: what the type's own `manifest` makes of its props. */
export function object(scope: Construct, id: string, manifest: unknown): ApiObject {
  return new ApiObject(scope, id, manifest as Manifest);
}

/** An object of the cluster, which has no namespace even where its chart has one. */
export function clusterObject(scope: Construct, id: string, manifest: unknown): ApiObject {
  const made = object(scope, id, manifest);
  if (made.metadata.namespace !== undefined) made.addJsonPatch(JsonPatch.remove('/metadata/namespace'));
  return made;
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: Record<string, unknown>;
}
