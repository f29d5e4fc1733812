import fc from '../fast-check';
import { findingsIn } from '../../lib/checks/check';
import { type Json, manifestObject } from '../../lib/manifest/manifest';
import { MACHINE_TYPES, type TpuMachineType, TpuSlice } from '../../lib';
import { topologiesOf } from '../../lib/tpu/topology';
import { object, service } from './manifests';

// Random LeaderWorkerSets that are legal and follow the recommendations.

const slices = fc
  .constantFrom(...(Object.keys(MACHINE_TYPES) as TpuMachineType[]))
  .filter((type) => type !== 'tpu7x-ultranet-4t')
  .chain((type) => fc.constantFrom(...topologiesOf(type).map((shape) => TpuSlice.parse(`${type}/${shape}`))));

const probe = { httpGet: { path: '/health', port: 8080 }, timeoutSeconds: 10, periodSeconds: 10 };
const answering = {
  ports: [
    { name: 'http', containerPort: 8080, protocol: 'TCP' },
    { name: 'runtime', containerPort: 8431, protocol: 'TCP' },
  ],
  startupProbe: { ...probe, failureThreshold: 360 },
  readinessProbe: probe,
  lifecycle: { preStop: { exec: { command: ['sleep', '20'] } } },
};
const silent = { ports: [{ name: 'runtime', containerPort: 8431, protocol: 'TCP' }] };

const LABELS = { 'app.kubernetes.io/name': 'llama', 'app.kubernetes.io/instance': 'llama' };
const LEADER = { role: 'leader', 'ai.gke.io/inference-server': 'other' };

const podOf = (slice: TpuSlice, isDynamic: boolean, labels: Json, main: Json): Json => ({
  metadata: {
    labels: { ...LABELS, ...labels },
    ...(isDynamic && { annotations: { 'cloud.google.com/gke-tpu-slice-topology': slice.topology } }),
  },
  spec: {
    nodeSelector: {
      'cloud.google.com/gke-tpu-accelerator': slice.accelerator,
      ...(!isDynamic && { 'cloud.google.com/gke-tpu-topology': slice.topology }),
    },
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 60,
    securityContext: { seccompProfile: { type: 'RuntimeDefault' }, runAsNonRoot: true, runAsUser: 1000 },
    containers: [
      {
        name: 'server',
        image: 'example/server:v1',
        resources: {
          requests: { cpu: '8', memory: '16Gi', 'google.com/tpu': String(slice.chipsPerHost) },
          limits: { 'google.com/tpu': String(slice.chipsPerHost) },
        },
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        ...main,
      },
    ],
  },
});

const SLOWLY = { scaleDown: { stabilizationWindowSeconds: 1800 } };

const legal = fc
  .record({
    slice: slices,
    groups: fc.integer({ min: 1, max: 9 }),
    scaled: fc.constantFrom('HorizontalPodAutoscaler', 'ScaledObject', undefined),
    restartPolicy: fc.constantFrom('RecreateGroupOnPodRestart', 'RecreateGroupAfterStart', undefined),
    subdomainPolicy: fc.constantFrom('Shared', 'UniquePerReplica', undefined),
    dynamic: fc.boolean(),
    byIndex: fc.boolean(),
    ownHeadless: fc.boolean(),
  })
  .map(({ slice, groups, scaled, restartPolicy, subdomainPolicy, byIndex, ...rest }): readonly Json[] => {
    const isDynamic = rest.dynamic && slice.machineType === 'tpu7x-standard-4t';
    const target = { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet', name: 'llama' };
    const spread = (pod: Json): Json =>
      slice.multiHost
        ? pod
        : {
            ...pod,
            spec: {
              ...(pod['spec'] as Json),
              topologySpreadConstraints: [
                {
                  maxSkew: 1,
                  topologyKey: 'cloud.google.com/gke-nodepool',
                  whenUnsatisfiable: 'ScheduleAnyway',
                  labelSelector: { matchLabels: LABELS },
                },
              ],
            },
          };
    return [
      {
        apiVersion: target.apiVersion,
        kind: target.kind,
        metadata: {
          name: target.name,
          ...(isDynamic
            ? { labels: { 'kueue.x-k8s.io/queue-name': 'slices' } }
            : slice.multiHost && {
                annotations: {
                  'leaderworkerset.sigs.k8s.io/exclusive-topology': 'cloud.google.com/gke-nodepool',
                },
              }),
        },
        spec: {
          ...(scaled === undefined && { replicas: groups }),
          ...(subdomainPolicy !== undefined && { networkConfig: { subdomainPolicy } }),
          leaderWorkerTemplate: {
            size: slice.hosts,
            ...(restartPolicy !== undefined && { restartPolicy }),
            leaderTemplate: spread(podOf(slice, isDynamic, LEADER, answering)),
            workerTemplate: podOf(slice, isDynamic, { role: 'worker' }, silent),
          },
        },
      },
      service(
        {
          selector: byIndex
            ? { ...LABELS, 'leaderworkerset.sigs.k8s.io/worker-index': '0' }
            : { role: 'leader' },
          ports: [{ port: 80, targetPort: 'http' }],
        },
        { name: 'llama-http' },
      ),
      ...(rest.ownHeadless
        ? [
            service(
              { clusterIP: 'None', publishNotReadyAddresses: true, selector: LABELS },
              { name: 'llama' },
            ),
          ]
        : []),
      object(
        'policy/v1',
        'PodDisruptionBudget',
        {
          maxUnavailable: slice.hosts,
          unhealthyPodEvictionPolicy: 'AlwaysAllow',
          selector: { matchLabels: LABELS },
        },
        { name: 'llama' },
      ),
      ...(scaled === 'HorizontalPodAutoscaler'
        ? [
            object(
              'autoscaling/v2',
              scaled,
              {
                scaleTargetRef: target,
                maxReplicas: groups,
                behavior: SLOWLY,
                metrics: [
                  {
                    type: 'Resource',
                    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
                  },
                ],
              },
              { name: 'llama' },
            ),
          ]
        : []),
      ...(scaled === 'ScaledObject'
        ? [
            object(
              'keda.sh/v1alpha1',
              scaled,
              {
                scaleTargetRef: target,
                minReplicaCount: 1,
                maxReplicaCount: groups,
                advanced: { horizontalPodAutoscalerConfig: { behavior: SLOWLY } },
                triggers: [],
              },
              { name: 'llama' },
            ),
          ]
        : []),
    ];
  });

test('the checks accept legal LeaderWorkerSets on any slice', () => {
  fc.assert(
    fc.property(legal, (manifests) => {
      const found = findingsIn(manifests.map((manifest) => manifestObject(manifest)));
      expect(found.map(({ code, object: id, path, message }) => `${code} ${id} ${path}: ${message}`)).toEqual(
        [],
      );
    }),
    { numRuns: 200 },
  );
});
