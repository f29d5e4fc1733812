import { ApiObject } from 'cdk8s';
import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
import { checkAtSynth } from '../checks/at-synth';
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

/** A Job around a pod template. */
export function job(
  scope: Construct,
  id: string,
  metadata: k8s.ObjectMeta,
  { template, ...spec }: Around<k8s.JobSpec>,
): ApiObject {
  const typed = k8s.KubeJob.manifest({ metadata, spec: { ...spec, template: {} } }) as Manifest;
  return object(scope, id, { ...typed, spec: { ...typed.spec, template } });
}

/** An object of any kind: what the type's own `manifest` makes of its props. From the first one on, every synth checks the whole app. */
export function object(scope: Construct, id: string, manifest: unknown): ApiObject {
  checkAtSynth(scope);
  return new ApiObject(scope, id, manifest as Manifest);
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: Record<string, unknown>;
}
