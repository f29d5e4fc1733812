// Each paragraph that starts with `mistake:` must give one compiler error; test/mistakes.test.ts keeps its words.
import { Chart } from 'cdk8s';
import {
  type RayServeApplication,
  type RayServeDeployment,
  TpuRayService,
  type TpuRayServiceProps,
  type TpuRayWorkerGroup,
  TpuSlice,
} from '../../lib';

declare const chart: Chart;
declare const props: TpuRayServiceProps;
declare const group: TpuRayWorkerGroup;

// mistake: nothing to run
new TpuRayService(chart, 'ray', { workerGroups: [group] });

// mistake: nothing to run it on
new TpuRayService(chart, 'ray', { serveConfig: props.serveConfig });

// mistake: one group, not a list of them
new TpuRayService(chart, 'ray', { ...props, workerGroups: group });

// mistake: a strategy that does not exist
new TpuRayService(chart, 'ray', { ...props, upgradeStrategy: 'newCluster' });

// mistake: an image for each group
new TpuRayService(chart, 'ray', { ...props, head: { image: 'rayproject/ray:2.46.0' } });

// mistake: metrics by yes or no
new TpuRayService(chart, 'ray', { ...props, monitoring: true });

// mistake: a version that is a number
new TpuRayService(chart, 'ray', { ...props, rayVersion: 2.9 });

// mistake: a service that is changed afterwards
new TpuRayService(chart, 'ray', props).serveServiceName = 'mine';

// mistake: no slice
({ groupName: 'tpu' }) satisfies TpuRayWorkerGroup;

// mistake: a slice as text
({ ...group, slice: 'ct4p-hightpu-4t' }) satisfies TpuRayWorkerGroup;

// mistake: hosts typed by hand
({ ...group, numOfHosts: 4 }) satisfies TpuRayWorkerGroup;

// mistake: a topology that the machine type does not make
({ ...group, slice: TpuSlice.of('ct4p-hightpu-4t', '2x2') }) satisfies TpuRayWorkerGroup;

// mistake: CPUs as a number
({ ...group, resources: { limits: { cpu: 100 } } }) satisfies TpuRayWorkerGroup;

// mistake: CPUs outside of the resources
({ ...group, cpu: '100' }) satisfies TpuRayWorkerGroup;

// mistake: capacity as text
({ ...group, capacity: 'spot' }) satisfies TpuRayWorkerGroup;

// mistake: a flag that is a number
({ ...group, rayStartParams: { 'num-cpus': 0 } }) satisfies TpuRayWorkerGroup;

// mistake: the name that the file has
({ name: 'app', import_path: 'a:b' }) satisfies RayServeApplication;

// mistake: an environment variable that is a number
({ name: 'app', importPath: 'a:b', runtimeEnv: { envVars: { THREADS: 4 } } }) satisfies RayServeApplication;

// mistake: any word for a number of replicas
({ name: 'D', numReplicas: 'many' }) satisfies RayServeDeployment;

// mistake: chips as text
({ name: 'D', rayActorOptions: { resources: { TPU: '4' } } }) satisfies RayServeDeployment;

// mistake: what Ray 2.9 called it
({ name: 'D', maxConcurrentQueries: 5 }) satisfies RayServeDeployment;
