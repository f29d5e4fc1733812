import { Chart } from 'cdk8s';
import {
  App,
  findings,
  GcsFusePersistentVolume,
  type GcsFusePersistentVolumeProps,
  GcsFuseVolume,
  Runbook,
  TpuSlice,
  VllmServer,
} from '../../lib';
import { refusal } from '../refusal';

function chartWith(props: Partial<GcsFusePersistentVolumeProps> = {}, namespace?: string): Chart {
  const chart = new Chart(new App(), 'llama', namespace === undefined ? {} : { namespace });
  const { claimName } = new GcsFusePersistentVolume(chart, 'weights', { bucketName: 'my-models', ...props });
  new VllmServer(chart, 'server', {
    model: '/data/Qwen3-4B',
    slice: TpuSlice.of('ct6e-standard-4t'),
    modelCache: new GcsFuseVolume({ claimName, mountPath: '/data', readOnly: true }),
    serviceAccountName: 'vllm',
  });
  return chart;
}

const rendered = (props?: Partial<GcsFusePersistentVolumeProps>, namespace?: string): readonly unknown[] =>
  (chartWith(props, namespace).toJson() as readonly unknown[]).slice(0, 2);

const labels = {
  'app.kubernetes.io/name': 'gcs-fuse',
  'app.kubernetes.io/instance': 'weights',
  'app.kubernetes.io/component': 'volume',
};

test('renders a PersistentVolume and its claim for a bucket with the serving profile', () => {
  expect(rendered({ mountOptions: ['only-dir=llama'] }, 'serving')).toEqual([
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'weights', labels },
      spec: {
        accessModes: ['ReadWriteMany'],
        capacity: { storage: '10Gi' },
        claimRef: { name: 'weights', namespace: 'serving' },
        csi: { driver: 'gcsfuse.csi.storage.gke.io', volumeHandle: 'my-models' },
        mountOptions: ['only-dir=llama'],
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: 'gcsfusecsi-serving',
      },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'weights', namespace: 'serving', labels },
      spec: {
        accessModes: ['ReadWriteMany'],
        resources: { requests: { storage: '10Gi' } },
        storageClassName: 'gcsfusecsi-serving',
        volumeName: 'weights',
      },
    },
  ]);
});

test.each<[Partial<GcsFusePersistentVolumeProps>, unknown]>([
  [{ profile: 'training' }, { spec: { storageClassName: 'gcsfusecsi-training' } }],
  [{ profile: false }, { spec: { storageClassName: '' } }],
  [
    { profile: false, skipBucketAccessCheck: true },
    { spec: { csi: { volumeAttributes: { skipCSIBucketAccessCheck: 'true' } } } },
  ],
  [
    { skipBucketAccessCheck: false },
    { spec: { csi: { volumeAttributes: { skipCSIBucketAccessCheck: 'false' } } } },
  ],
  [{ capacity: '1Ti' }, { spec: { capacity: { storage: '1Ti' } } }],
  [
    { contents: { objects: 42, bytes: 123456789 } },
    {
      metadata: {
        annotations: {
          'gke-gcsfuse/bucket-scan-status': 'override',
          'gke-gcsfuse/bucket-scan-num-objects': '42',
          'gke-gcsfuse/bucket-scan-total-size-bytes': '123456789',
        },
      },
    },
  ],
])('renders %j as %j', (props, expected) => {
  expect(rendered(props)[0]).toMatchObject(expected as Record<string, unknown>);
});

test('omits the namespace of the claim if the chart has none', () => {
  expect(rendered()[0]).not.toHaveProperty('spec.claimRef');
});

test("adds the sidecar's annotation to a pod that mounts the claim", () => {
  const [, , deployment] = chartWith().toJson() as readonly unknown[];
  expect(deployment).toMatchObject({
    spec: {
      template: {
        metadata: { annotations: { 'gke-gcsfuse/volumes': 'true' } },
        spec: {
          volumes: expect.arrayContaining([
            { name: 'gcs-fuse', persistentVolumeClaim: { claimName: 'weights', readOnly: true } },
          ]),
        },
      },
    },
  });
  expect(findings(chartWith()).map(({ code }) => code)).toEqual([]);
});

describe('the runbook', () => {
  const text = new Runbook(chartWith()).toString();

  test('explains the scheduling gate and the permissions of the controller', () => {
    expect(text).toContain('gke-gcsfuse/bucket-scan-pending');
    expect(text).toContain('storage.anywhereCaches.create');
    expect(text).toContain('kubectl get storageclass gcsfusecsi-serving');
  });

  test('grants the ServiceAccount of the pods a role on the bucket', () => {
    expect(text).toContain('`roles/storage.objectViewer` on `gs://my-models`');
  });

  test('does not mention profiles without a profile', () => {
    expect(new Runbook(chartWith({ profile: false })).toString()).not.toContain('bucket-scan');
  });
});

test.each<[Partial<GcsFusePersistentVolumeProps>, string]>([
  [{ bucketName: 'gs://my-models' }, "bucketName: 'gs://my-models' is a URL"],
  [{ profile: 'fast' as 'serving' }, "profile: 'fast' is not known"],
  [{ profile: false, contents: { objects: 1, bytes: 1 } }, 'contents: is set without a profile'],
  [{ contents: { objects: -1, bytes: 1 } }, "contents.objects: '-1' is not a whole number"],
])('rejects %j', (props, message) => {
  expect(refusal(() => chartWith(props))).toContain(message);
});

test.each<[object, string]>([
  [{ mountPath: '/data' }, "bucketName: required, for example 'my-models'; use bucketName or claimName"],
  [
    { mountPath: '/data', claimName: 'weights', bucketName: 'my-models' },
    'bucketName: is set together with claimName; use a prop of the PersistentVolume instead',
  ],
  [
    { mountPath: '/data', claimName: 'weights', mountOptions: { implicitDirs: true } },
    'mountOptions: is set together with claimName; use a prop of the PersistentVolume instead',
  ],
])('rejects a volume %j', (props, message) => {
  expect(refusal(() => new GcsFuseVolume(props as never))).toContain(message);
});
