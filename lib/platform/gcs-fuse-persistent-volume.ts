import { type ApiObject, Chart } from 'cdk8s';
import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { Construct } from 'constructs';
import {
  BUCKET_SCAN_ANNOTATIONS,
  BUCKET_SCAN_GATE,
  GCS_FUSE_DRIVER,
  GCS_FUSE_PROFILES,
  PROFILE_PERMISSIONS,
} from '../facts/gcs-fuse';
import { describeOperations, type Operations } from '../operations/operations';
import { bucketName as bucketRule, dnsSubdomain, quantity } from '../problems/grammar';
import {
  boolean,
  falseOr,
  integer,
  list,
  nonEmpty,
  object as objectOf,
  oneOf,
  optional,
  readNamed,
  required,
  type Schema,
  string,
} from '../problems/schema';
import { checkAtSynth } from '../synth/at-synth';
import { recommendedLabels } from '../workload/labels';
import { clusterObject, object } from '../workload/objects';
import { KINDS } from '../facts/rendered';
import { manifest } from '../workload/plain';

/** Number and size of the objects in a bucket. */
export interface BucketContents {
  /** Number of objects. */
  readonly objects: number;
  /** Total size of the objects in bytes. */
  readonly bytes: number;
}

/** Properties of a PersistentVolume for a bucket. */
export interface GcsFusePersistentVolumeProps {
  /** Name of the PersistentVolume and of its claim. @default - the construct's id */
  readonly name?: string;
  /** Name of the bucket, without `gs://`. */
  readonly bucketName: string;
  /**
   * Profile of the Cloud Storage FUSE driver for the use of the bucket: a StorageClass that must exist in the cluster. `false` renders a
   * static PersistentVolume without a profile.
   *
   * @default 'serving'
   */
  readonly profile?: 'serving' | 'training' | 'checkpointing' | false;
  /** Mount options, like `only-dir=models`. @default - the options of the profile */
  readonly mountOptions?: readonly string[];
  /** Whether the driver skips the check that the pod can access the bucket. @default - true with a profile, otherwise false */
  readonly skipBucketAccessCheck?: boolean;
  /** Size that PersistentVolume and claim state, as a quantity; it does not limit the bucket. @default '10Gi' */
  readonly capacity?: string;
  /** Contents of the bucket. If set, the driver does not scan the bucket, and pods start sooner. @default - the driver scans the bucket */
  readonly contents?: BucketContents;
}

const CONTENTS: Schema<BucketContents> = {
  properties: {
    objects: required(integer(0, Number.MAX_SAFE_INTEGER), 42),
    bytes: required(integer(0, Number.MAX_SAFE_INTEGER), 141e9),
  },
};

const PROPS: Schema<GcsFusePersistentVolumeProps> = {
  properties: {
    name: optional(string(dnsSubdomain)),
    bucketName: required(string(bucketRule), 'my-models'),
    profile: optional(falseOr(oneOf('serving', 'training', 'checkpointing'))),
    mountOptions: optional(list(nonEmpty())),
    skipBucketAccessCheck: optional(boolean()),
    capacity: optional(string(quantity)),
    contents: optional(objectOf(CONTENTS)),
  },
  rules: [
    function* ({ profile, contents }) {
      if (profile === false && contents !== undefined)
        yield {
          path: 'contents',
          problem: 'is set without a profile, but the driver scans the bucket only with a profile',
          use: "profile: 'serving', or omit contents",
        };
    },
  ],
};

/**
 * A PersistentVolume and its claim for a Cloud Storage bucket, with a profile of the Cloud Storage FUSE driver. Pods mount it with `new
 * GcsFuseVolume({ claimName, mountPath })`. With a profile, the driver's controller scans the bucket before the pods can be scheduled. It
 * needs permissions for that, which the runbook lists.
 *
 * @throws InvalidInputError if a prop is invalid
 * @see https://github.com/GoogleCloudPlatform/gcs-fuse-csi-driver (examples/gcsfuse-profiles)
 */
export class GcsFusePersistentVolume extends Construct {
  /** The PersistentVolume. */
  readonly persistentVolume: ApiObject;
  /** The PersistentVolumeClaim. */
  readonly claim: ApiObject;
  /** Name of the claim, for the `claimName` of a `GcsFuseVolume`. */
  readonly claimName: string;

  constructor(scope: Construct, id: string, props: GcsFusePersistentVolumeProps) {
    super(scope, id);
    checkAtSynth(this);
    const read = readNamed(PROPS, props, this.node);
    const { name, capacity = '10Gi', profile = 'serving' } = read;
    const { namespace } = Chart.of(this);
    const labels = recommendedLabels('gcs-fuse', name, 'volume');
    const storageClassName = profile === false ? '' : GCS_FUSE_PROFILES[profile];
    const storage = capacity;
    this.claimName = name;
    this.persistentVolume = clusterObject(
      this,
      'Volume',
      manifest<k8s.KubePersistentVolumeProps>(KINDS.PersistentVolume, {
        metadata: { name, labels, annotations: scanned(read.contents) },
        spec: {
          accessModes: ['ReadWriteMany'],
          capacity: { storage },
          persistentVolumeReclaimPolicy: 'Retain',
          storageClassName,
          claimRef: namespace === undefined ? undefined : { name, namespace },
          mountOptions: read.mountOptions && [...read.mountOptions],
          csi: {
            driver: GCS_FUSE_DRIVER,
            volumeHandle: read.bucketName,
            volumeAttributes:
              read.skipBucketAccessCheck === undefined
                ? undefined
                : { skipCSIBucketAccessCheck: String(read.skipBucketAccessCheck) },
          },
        },
      }),
    );
    this.claim = object(
      this,
      'Claim',
      manifest<k8s.KubePersistentVolumeClaimProps>(KINDS.PersistentVolumeClaim, {
        metadata: { name, labels },
        spec: {
          accessModes: ['ReadWriteMany'],
          resources: { requests: { storage } },
          volumeName: name,
          storageClassName,
        },
      }),
    );
    if (profile !== false)
      describeOperations(this, () => profileOperations(read.bucketName, storageClassName));
  }
}

const scanned = (contents: BucketContents | undefined): Record<string, string> | undefined =>
  contents && {
    [BUCKET_SCAN_ANNOTATIONS.status]: 'override',
    [BUCKET_SCAN_ANNOTATIONS.objects]: String(contents.objects),
    [BUCKET_SCAN_ANNOTATIONS.bytes]: String(contents.bytes),
  };

const profileOperations = (bucketName: string, storageClassName: string): Operations => ({
  notes: [
    `Pods with a claim of class \`${storageClassName}\` have the scheduling gate \`${BUCKET_SCAN_GATE}\` until the Cloud Storage FUSE controller has scanned \`gs://${bucketName}\`. If the scan fails, the pods remain \`SchedulingGated\`, and the cluster autoscaler does not add nodes for them.`,
    `The controller needs ${PROFILE_PERMISSIONS.map((one) => `\`${one}\``).join(', ')} on \`gs://${bucketName}\`, in a custom role, and \`roles/compute.viewer\` on the project.`,
  ],
  before: [
    {
      text: `Check that the cluster has StorageClass \`${storageClassName}\` of the Cloud Storage FUSE driver.`,
      commands: [`kubectl get storageclass ${storageClassName}`],
    },
  ],
});
