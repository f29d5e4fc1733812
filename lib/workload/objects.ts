import { ApiObject, JsonPatch } from 'cdk8s';
import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
import { type Capacity } from '../pod/capacity';
import { type PodTemplate } from '../pod/template';
import { type Kind, KINDS } from '../facts/rendered';
import { type Plain } from './plain';

/** The spec of a kind that embeds a pod template. */
type Around<Spec> = Plain<Omit<Spec, 'template'>> & { readonly template: PodTemplate };

// A plain ApiObject keeps all fields, so that a JSON patch can change fields that the 1.29 types do not know.

/** A Deployment around a pod template. */
export function deployment(
  scope: Construct,
  id: string,
  metadata: k8s.ObjectMeta,
  spec: Around<k8s.DeploymentSpec>,
): ApiObject {
  return object(scope, id, { ...KINDS.Deployment, metadata, spec });
}

/** A Job around a pod template. If its capacity has a Kueue queue, Kueue suspends the Job until the queue has quota. */
export function job(
  scope: Construct,
  id: string,
  metadata: k8s.ObjectMeta,
  spec: Around<k8s.JobSpec>,
  capacity?: Capacity,
): ApiObject {
  return object(scope, id, { ...KINDS.Job, metadata: queuedMetadata(metadata, capacity), spec });
}

/** Returns the metadata of an object, with the queue of its capacity. */
export function queuedMetadata(metadata: k8s.ObjectMeta, capacity: Capacity | undefined): k8s.ObjectMeta {
  const { labels, annotations } = capacity?.jobMetadata ?? {};
  return {
    ...metadata,
    labels: { ...metadata.labels, ...labels },
    annotations:
      metadata.annotations || annotations ? { ...metadata.annotations, ...annotations } : undefined,
  };
}

/** An object of any kind. */
export function object(scope: Construct, id: string, manifest: unknown): ApiObject {
  return new ApiObject(scope, id, manifest as Kind);
}

/** A cluster-scoped object, which has no namespace even if its chart has one. */
export function clusterObject(scope: Construct, id: string, manifest: unknown): ApiObject {
  const made = object(scope, id, manifest);
  if (made.metadata.namespace !== undefined) made.addJsonPatch(JsonPatch.remove('/metadata/namespace'));
  return made;
}
