import { type Volume, type VolumeMount } from 'cdk8s-plus-29/lib/imports/k8s';
import { brand } from '../problems/brand';
import { absolutePath, dnsSubdomain, podLabel } from '../problems/grammar';
import {
  boolean,
  essential,
  type NamedResource,
  nameOf,
  optional,
  readOrThrow,
  required,
  resourceName,
  type Schema,
  string,
} from '../problems/schema';
import { type PodFragment } from './fragment';

/** Properties of a volume on a PersistentVolumeClaim. */
export interface PvcVolumeProps {
  /** The claim, in the namespace of the pod: its name, or a `PersistentVolumeClaim` of cdk8s-plus. */
  readonly claimName: string | NamedResource;
  /** Folder of the main container that the volume is mounted in. */
  readonly mountPath: string;
  /** Name of the volume in the pod. @default 'model-cache' */
  readonly name?: string;
  /** Whether the volume is read-only. @default false */
  readonly readOnly?: boolean;
}

const PROPS: Schema<PvcVolumeProps> = {
  properties: {
    claimName: essential(resourceName(dnsSubdomain, 'PersistentVolumeClaim'), "'models'"),
    mountPath: required(string(absolutePath), '/data'),
    name: optional(string(podLabel)),
    readOnly: optional(boolean()),
  },
};

/**
 * A disk as a folder of the main container, through an existing PersistentVolumeClaim. An alternative to `GcsFuseVolume` for model
 * weights.
 *
 * @throws InvalidInputError if a prop is not valid
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/persistent-volumes
 */
export class PvcVolume implements PodFragment {
  /** Folder of the main container that the volume is mounted in. */
  readonly mountPath: string;
  /** Whether the volume is read-only. */
  readonly readOnly: boolean;
  /** The volume. */
  readonly volumes: readonly Volume[];
  /** The mount in the main container. */
  readonly volumeMounts: readonly VolumeMount[];

  constructor(props: PvcVolumeProps) {
    const { claimName, mountPath, name = 'model-cache', readOnly = false } = readOrThrow(PROPS, props);
    const only = readOnly ? true : undefined;
    this.mountPath = mountPath;
    this.readOnly = readOnly;
    this.volumes = [{ name, persistentVolumeClaim: { claimName: nameOf(claimName), readOnly: only } }];
    this.volumeMounts = [{ name, mountPath, readOnly: only }];
    Object.freeze(this);
  }
}
brand(PvcVolume, 'PvcVolume');
brand(PvcVolume, 'MountedVolume');
