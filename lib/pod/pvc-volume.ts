import { type Volume, type VolumeMount } from 'cdk8s-plus-29/lib/imports/k8s';
import { Problems } from '../problems/problems';
import { type PodFragment } from './fragment';
import { absolutePath, dnsSubdomain, podLabel } from '../problems/validators';

/** Properties of a volume on a PersistentVolumeClaim. */
export interface PvcVolumeProps {
  /** Name of the claim, in the namespace of the pod. */
  readonly claimName: string;
  /** Folder that the main container sees the volume in. */
  readonly mountPath: string;
  /** Name of the volume in the pod. @default 'model-cache' */
  readonly name?: string;
  /** Whether it can only be read, as a Hyperdisk ML that several nodes share. @default false */
  readonly readOnly?: boolean;
}

/**
 * A disk as a folder of the main container, through a PersistentVolumeClaim that exists already: an alternative to `GcsFuseVolume`
 * for weights, with the same props where they mean the same.
 *
 * @throws InvalidInputError when a name or path is malformed
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/persistent-volumes/hyperdisk-ml
 */
export class PvcVolume implements PodFragment {
  /** Folder that the main container sees the volume in. */
  readonly mountPath: string;
  /** Whether it can only be read. */
  readonly readOnly: boolean;
  /** The volume. */
  readonly volumes: readonly Volume[];
  /** Its mount in the main container. */
  readonly volumeMounts: readonly VolumeMount[];

  constructor(props: PvcVolumeProps) {
    const { claimName, mountPath, name = 'model-cache' } = props;
    const problems = new Problems();
    problems.add(
      dnsSubdomain('claimName', claimName),
      absolutePath('mountPath', mountPath),
      podLabel('volume name', name),
    );
    problems.throwIfAny();
    const readOnly = props.readOnly === true ? true : undefined;
    this.mountPath = mountPath;
    this.readOnly = props.readOnly ?? false;
    this.volumes = [{ name, persistentVolumeClaim: { claimName, readOnly } }];
    this.volumeMounts = [{ name, mountPath, readOnly }];
    Object.freeze(this);
  }
}
