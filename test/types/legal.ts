// What must compile, and run: test/mistakes.test.ts does both.
import { ApiObject, App, Chart } from 'cdk8s';
import * as kplus from 'cdk8s-plus-29';
import {
  Capacity,
  HuggingFaceToken,
  PvcVolume,
  Runbook,
  TpuComputeClass,
  TpuQueue,
  TpuSlice,
  WorkloadIdentity,
  WorkloadRoles,
} from '../../lib';

// one machine: its topology follows
TpuSlice.of('ct4p-hightpu-4t');
TpuSlice.of('ct5lp-hightpu-1t');
TpuSlice.of('ct5lp-hightpu-4t');
TpuSlice.of('ct5lp-hightpu-8t');
TpuSlice.of('ct5p-hightpu-4t');
TpuSlice.of('ct6e-standard-1t');
TpuSlice.of('ct6e-standard-4t');
TpuSlice.of('ct6e-standard-8t');
TpuSlice.of('tpu7x-standard-1t');
TpuSlice.of('tpu7x-standard-4t');
TpuSlice.of('tpu7x-ultranet-4t');

// every 2D topology
TpuSlice.of('ct6e-standard-1t', '1x1');
TpuSlice.of('ct6e-standard-4t', '2x2');
TpuSlice.of('ct6e-standard-4t', '2x4');
TpuSlice.of('ct6e-standard-4t', '4x4');
TpuSlice.of('ct6e-standard-4t', '4x8');
TpuSlice.of('ct6e-standard-4t', '8x8');
TpuSlice.of('ct6e-standard-4t', '8x16');
TpuSlice.of('ct6e-standard-4t', '16x16');
TpuSlice.of('ct6e-standard-8t', '2x4');

// the 3D rule: small ones, one, two and three digits, the upper limits
TpuSlice.of('ct5p-hightpu-4t', '2x2x1');
TpuSlice.of('ct5p-hightpu-4t', '2x2x2');
TpuSlice.of('ct5p-hightpu-4t', '2x2x4');
TpuSlice.of('ct5p-hightpu-4t', '2x4x4');
TpuSlice.of('ct5p-hightpu-4t', '4x4x4');
TpuSlice.of('ct5p-hightpu-4t', '4x8x12');
TpuSlice.of('ct5p-hightpu-4t', '8x16x20');
TpuSlice.of('ct5p-hightpu-4t', '4x8x100');
TpuSlice.of('ct5p-hightpu-4t', '16x20x28');
TpuSlice.of('ct4p-hightpu-4t', '16x16x16');
TpuSlice.of('ct4p-hightpu-4t', '4x4x256');
TpuSlice.of('tpu7x-standard-4t', '16x24x24');

// names of one's own, unions, what other functions take
const topology = '4x8';
const tier: { readonly machineType: 'ct5lp-hightpu-4t'; readonly topology: '4x4' | '4x8' } = {
  machineType: 'ct5lp-hightpu-4t',
  topology,
};
const hostsOf = (slice: TpuSlice): number => slice.hosts;
const hosts: number = hostsOf(TpuSlice.of(tier.machineType, tier.topology));
const memory: number = TpuSlice.of('ct5lp-hightpu-4t', topology).memoryGBPerHost;

// from configuration
const fromConfiguration: string = ['ct6e-standard-4t', topology].join('/');
const slices: readonly TpuSlice[] = [TpuSlice.parse(fromConfiguration), TpuSlice.parse('v5p-16')];

// objects of cdk8s-plus and of this package in place of names
const chart = new Chart(new App(), 'chart');
const namespace = new kplus.Namespace(chart, 'serving');
const claim = new kplus.PersistentVolumeClaim(chart, 'models', { metadata: { name: 'models' } });
const secret = new kplus.Secret(chart, 'token', { metadata: { name: 'hf-secret' } });
const localQueue = new ApiObject(chart, 'team', {
  apiVersion: 'kueue.x-k8s.io/v1beta1',
  kind: 'LocalQueue',
  metadata: { name: 'team' },
});
const slice = TpuSlice.of('ct6e-standard-8t');
const queue = new TpuQueue(chart, 'queue', { slice });
const priorities = [Capacity.reservation('r'), Capacity.onDemand()];
const computeClass = new TpuComputeClass(chart, 'class', { slice, priorities });
const project = { projectId: 'my-project', projectNumber: '123456789012' };
new WorkloadIdentity(chart, 'identity', { ...project, namespace });
new WorkloadRoles(chart, 'roles', { ...project, namespace, roles: ['roles/storage.objectViewer'] });
const volume = new PvcVolume({ claimName: claim, mountPath: '/data' });
const token = HuggingFaceToken.fromSecret(secret, 'hf_api_token');
const runbook = new Runbook(chart, { namespace });

// any capacity in a queue
const queued: readonly Capacity[] = [
  Capacity.onDemand({ queue: 'team' }),
  Capacity.spot({ queue: localQueue }),
  Capacity.flexStart({ queue: 'team', maxRunDurationSeconds: 600 }),
  Capacity.flexStartQueued({ queue }),
  Capacity.flexStartQueued({ queue: localQueue }),
  Capacity.reservation('my-tpus', { queue: 'team' }),
  Capacity.computeClass('tpus', { queue: 'team' }),
  Capacity.computeClass(computeClass, { queue: localQueue }),
];

export { hosts, memory, queued, runbook, slices, token, volume };
