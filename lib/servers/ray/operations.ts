import { type ControllerRequirement, CONTROLLERS } from '../../facts/controllers';
import { RAY_PORTS } from '../../facts/ports';
import { BUCKET_READER } from '../../facts/roles';
import {
  type BucketRoles,
  type Kubectl,
  type Operations,
  type RunbookStep,
} from '../../operations/operations';
import { bucketOfFolder } from '../../problems/grammar';
import { nameOf } from '../../problems/schema';
import { endpointOf } from '../operations';
import { CPU_RESOURCES } from './cluster';
import {
  type RayPodProps,
  type TpuRayClusterOptions,
  type TpuRayJobProps,
  type TpuRayServiceProps,
} from './props';
import { scaleOf } from './scale';
import { type RayRuntimeEnv } from './serve-config';

/**
 * GKE version from which the tutorial uses the Ray Operator add-on:
 * https://cloud.google.com/kubernetes-engine/docs/add-on/ray-on-gke/tutorials/deploy-ray-serve-stable-diffusion-tpu
 */
const RAY_OPERATOR_GKE_VERSION = '1.30.1';
/** Machine type of the node that runs the head in the tutorial. */
const HEAD_MACHINE_TYPE = 'n1-standard-8';

/** Returns the requirements of a Ray cluster. `times` is the number of clusters that can exist at a time. */
function rayRequirements(
  props: TpuRayClusterOptions,
  controller: ControllerRequirement,
  times = 1,
): Operations {
  const { enableInTreeAutoscaling: autoscaling = false, head, image, workerGroups } = props;
  const { cpuWorkerGroups = [] } = props;
  return {
    slices: workerGroups.map((group) => {
      const { replicas, minReplicas, maxReplicas } = scaleOf(group, autoscaling);
      return {
        slice: group.slice,
        capacity: group.capacity,
        replicas: autoscaling ? maxReplicas + (times - 1) * replicas : replicas * times,
        ...(autoscaling && { minReplicas }),
      };
    }),
    addOns: ['RayOperator'],
    controllers: [controller],
    gkeVersions: [{ version: RAY_OPERATOR_GKE_VERSION, because: 'the Ray Operator add-on with TPUs' }],
    images: image === undefined ? [] : [image],
    ownNodes: {
      machineType:
        head?.resources === undefined && cpuWorkerGroups.length === 0 ? HEAD_MACHINE_TYPE : undefined,
      because: [
        `the head, which requests ${amountsOf(head)}`,
        ...cpuWorkerGroups.map((group) => {
          const { replicas, maxReplicas } = scaleOf(group, autoscaling);
          const pods = autoscaling ? `up to ${String(maxReplicas)}` : String(replicas);
          return `${pods} pods of group ${group.groupName}, each of which requests ${amountsOf(group)}`;
        }),
      ].join(', and '),
    },
  };
}

/** Returns the roles on the buckets that Ray downloads code from. */
function codeRoles(
  { serviceAccountName, head, workerGroups, cpuWorkerGroups = [] }: TpuRayClusterOptions,
  environments: readonly (RayRuntimeEnv | undefined)[],
): readonly BucketRoles[] {
  const files = environments.flatMap((one) => [one?.workingDir ?? [], one?.pyModules ?? []].flat());
  const accounts = [head, ...workerGroups, ...cpuWorkerGroups].map((group) => {
    const account = group?.serviceAccountName ?? serviceAccountName;
    return account === undefined ? undefined : nameOf(account);
  });
  return [...new Set(files.flatMap((file) => bucketOfFolder(file) ?? []))].flatMap((bucketName) =>
    [...new Set(accounts)].map((account) => ({
      bucketName,
      roles: [BUCKET_READER],
      serviceAccountName: account,
    })),
  );
}

/** Returns CPU and memory of a pod without TPUs, in words. */
function amountsOf(group: RayPodProps | undefined): string {
  const { cpu = '', memory = '' } = { ...CPU_RESOURCES.requests, ...group?.resources?.requests };
  return `${cpu} CPU and ${memory} of memory`;
}

/** Returns the steps that find the pods of a cluster. */
const podSteps = (kubectl: Kubectl, name: string): readonly RunbookStep[] => [
  { text: 'List the pods.', commands: [kubectl('get', 'pods', '-l', `app=${name}`)] },
];

/** Returns the step that opens the dashboard of a cluster. */
function dashboardStep(kubectl: Kubectl, headServiceName: string): RunbookStep {
  const { open, url } = endpointOf(kubectl, {
    name: headServiceName,
    port: RAY_PORTS.dashboard,
    type: undefined,
  });
  return { ...open, text: `${open.text} The dashboard is then at \`${url}\`.` };
}

/** The objects of a Ray service that runbook steps name. */
interface RayServiceNames {
  readonly rayService: { readonly name: string };
  readonly headServiceName: string;
  readonly serveServiceName: string;
}

/** Returns the requirements and runbook steps of a Ray service. */
export const rayServiceOperations =
  (service: RayServiceNames, props: TpuRayServiceProps) =>
  (kubectl: Kubectl): Operations => {
    const { name } = service.rayService;
    const serve = endpointOf(kubectl, {
      name: service.serveServiceName,
      port: RAY_PORTS.serve,
      type: undefined,
    });
    return {
      ...rayRequirements(props, CONTROLLERS.rayService, props.upgradeStrategy === 'NewCluster' ? 2 : 1),
      roles: codeRoles(
        props,
        props.serveConfig.applications.map(({ runtimeEnv }) => runtimeEnv),
      ),
      steps: {
        verify: [
          { text: `Check the status of \`${name}\`.`, commands: [kubectl('get', 'rayservice', name)] },
          ...podSteps(kubectl, name),
        ],
        call: [
          dashboardStep(kubectl, service.headServiceName),
          {
            ...serve.open,
            text: `${serve.open.text} KubeRay creates this Service when the applications are running.`,
          },
          {
            text: 'List the routes of the applications. Each application defines its own requests.',
            commands: [`curl -s ${serve.url}/-/routes`],
          },
        ],
        scale: scale(kubectl, name, props),
        change: change(kubectl, name, props),
      },
    };
  };

/** Returns the shell line that looks up the RayCluster that serves requests. */
const activeCluster = (kubectl: Kubectl, name: string): string =>
  `cluster=$(${kubectl('get', 'rayservice', name, '-o', 'jsonpath={.status.activeServiceStatus.rayClusterName}').toString()})`;

/**
 * KubeRay ignores `replicas`, `minReplicas` and `maxReplicas` when it compares clusters: changing only them has no effect on a running
 * cluster, and no event reports it.
 *
 * https://github.com/ray-project/kuberay/blob/v1.6.2/ray-operator/controllers/ray/utils/util.go
 */
function scale(kubectl: Kubectl, name: string, props: TpuRayServiceProps): readonly RunbookStep[] {
  const autoscaling = props.enableInTreeAutoscaling === true;
  const field = autoscaling ? 'maxReplicas' : 'replicas';
  const patch = `[{"op": "replace", "path": "/spec/workerGroupSpecs/GROUP_INDEX/${field}", "value": SLICES}]`;
  return [
    ...(autoscaling
      ? [
          {
            text: "Ray's autoscaler keeps each group between `minReplicas` and `maxReplicas`. Watch the RayCluster.",
            commands: [kubectl('get', 'rayclusters', '--watch')],
          },
        ]
      : []),
    {
      text: `Change \`${field}\` of a group in the chart, add a node or node pool for each further slice, and apply. KubeRay does not apply this change to a running RayService, and no event reports it, so also patch the RayCluster of \`${name}\`.${autoscaling ? '' : ' If the number exceeds `maxReplicas` of the group, raise `maxReplicas` first.'}`,
      commands: [
        activeCluster(kubectl, name),
        `${kubectl('patch', 'raycluster').toString()} "$cluster" --type=json -p '${patch}'`,
      ],
      placeholders: {
        GROUP_INDEX: 'index of the worker group in the chart, starting at 0',
        SLICES: `new \`${field}\` of the group`,
      },
    },
  ];
}

function change(
  kubectl: Kubectl,
  name: string,
  { upgradeStrategy = 'None' }: TpuRayServiceProps,
): readonly RunbookStep[] {
  return upgradeStrategy === 'None'
    ? [
        {
          text: `KubeRay applies a changed \`serveConfig\` to the running cluster, and ignores other changes. To change the image, the slices or the resources, delete \`${name}\` and apply again. The service is down in between.`,
          commands: [kubectl('delete', 'rayservice', name)],
        },
      ]
    : [
        {
          text: `KubeRay applies a changed \`serveConfig\` to the running cluster. For other changes, KubeRay starts a second cluster of \`${name}\`, which needs its own slices, and deletes the first cluster when the second one serves requests.`,
          commands: [],
        },
      ];
}

/** Returns the requirements and runbook steps of a stand-alone Ray cluster. */
export const rayClusterOperations =
  (
    cluster: { readonly rayCluster: { readonly name: string }; readonly headServiceName: string },
    props: TpuRayClusterOptions,
  ) =>
  (kubectl: Kubectl): Operations => {
    const { name } = cluster.rayCluster;
    return {
      ...rayRequirements(props, CONTROLLERS.rayCluster),
      steps: {
        verify: [
          { text: `Check the status of \`${name}\`.`, commands: [kubectl('get', 'raycluster', name)] },
          ...podSteps(kubectl, name),
        ],
        call: [
          dashboardStep(kubectl, cluster.headServiceName),
          {
            text: "Submit a command to the dashboard. Use the image's version of Ray on your machine.",
            commands: [
              `ray job submit --address http://localhost:${String(RAY_PORTS.dashboard)} -- python -c 'import ray; ray.init(); print(ray.cluster_resources())'`,
            ],
          },
        ],
        change: [
          {
            text: `KubeRay adds and removes slices of \`${name}\` when you apply other \`replicas\`, but does not change running pods. To change the image, the slices or the resources, delete the cluster and apply again.`,
            commands: [kubectl('delete', 'raycluster', name)],
          },
        ],
      },
    };
  };

/** Returns the requirements and runbook steps of a Ray job. */
export const rayJobOperations =
  (job: { readonly rayJob: { readonly name: string } }, props: TpuRayJobProps) =>
  (kubectl: Kubectl): Operations => {
    const { name } = job.rayJob;
    return {
      roles: codeRoles(props, [props.runtimeEnv]),
      ...rayRequirements(
        props,
        props.backoffLimit === undefined ? CONTROLLERS.rayJob : CONTROLLERS.retriedRayJob,
      ),
      steps: {
        verify: [
          { text: `Check the status of \`${name}\`.`, commands: [kubectl('get', 'rayjob', name)] },
          ...podSteps(kubectl, name),
          {
            text: 'Follow the logs of the program.',
            commands: [kubectl('logs', '-l', `job-name=${name}`, '-f')],
          },
        ],
        change: [
          {
            text: `KubeRay runs a RayJob once and ignores later changes. Delete \`${name}\` first, or give the new one another name.`,
            commands: [kubectl('delete', 'rayjob', name)],
          },
        ],
      },
    };
  };
