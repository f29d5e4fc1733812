import { type ControllerRequirement, CONTROLLERS } from '../../facts/controllers';
import { RAY_PORTS } from '../../facts/ports';
import { type Kubectl, type Operations, type RunbookStep } from '../../operations/operations';
import { endpointOf } from '../operations';
import { CPU_RESOURCES } from './cluster';
import {
  type RayPodProps,
  type TpuRayClusterOptions,
  type TpuRayJobProps,
  type TpuRayServiceProps,
} from './props';
import { scaleOf } from './scale';

/** First GKE version with which the tutorial runs the Ray Operator add-on: https://cloud.google.com/kubernetes-engine/docs/add-on/ray-on-gke/tutorials/deploy-ray-serve-stable-diffusion-tpu */
const RAY_OPERATOR_GKE_VERSION = '1.30.1';
/** Machine type of the tutorial's nodes that run the head. */
const HEAD_MACHINE_TYPE = 'n1-standard-8';

/** Requirements of every construct with a Ray cluster; `times` is the number of clusters that can exist at a time. */
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

/** CPU and memory of a pod without TPUs, in words. */
function amountsOf(group: RayPodProps | undefined): string {
  const { cpu = '', memory = '' } = { ...CPU_RESOURCES.requests, ...group?.resources?.requests };
  return `${cpu} CPU and ${memory} of memory`;
}

/** Steps that find the pods of a cluster. */
const podSteps = (kubectl: Kubectl, name: string): readonly RunbookStep[] => [
  { text: 'List its pods.', commands: [kubectl('get', 'pods', '-l', `app=${name}`)] },
];

/** How to reach the dashboard of a cluster. */
function dashboardStep(kubectl: Kubectl, headServiceName: string): RunbookStep {
  const { open, url } = endpointOf(kubectl, {
    name: headServiceName,
    port: RAY_PORTS.dashboard,
    type: undefined,
  });
  return { ...open, text: `${open.text} The dashboard is then at \`${url}\`.` };
}

/** A Ray service, as far as steps name its objects. */
interface RayServiceNames {
  readonly rayService: { readonly name: string };
  readonly headServiceName: string;
  readonly serveServiceName: string;
}

/** Requirements and steps of a Ray service. */
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
      steps: {
        verify: [
          { text: `Check the status of \`${name}\`.`, commands: [kubectl('get', 'rayservice', name)] },
          ...podSteps(kubectl, name),
        ],
        call: [
          dashboardStep(kubectl, service.headServiceName),
          {
            ...serve.open,
            text: `${serve.open.text} KubeRay creates this Service when the applications run.`,
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

/** The RayCluster that serves the requests now. */
const activeCluster = (kubectl: Kubectl, name: string): string =>
  `cluster=$(${kubectl('get', 'rayservice', name, '-o', 'jsonpath={.status.activeServiceStatus.rayClusterName}').toString()})`;

/**
 * KubeRay compares clusters without `replicas`, `minReplicas` and `maxReplicas`: a change of them alone has no effect on a running
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
            text: "Ray's autoscaler keeps each group between `minReplicas` and `maxReplicas`. Watch it.",
            commands: [kubectl('get', 'rayclusters', '--watch')],
          },
        ]
      : []),
    {
      text: `Change \`${field}\` of a group in the chart, add a node or node pool for each further slice, and apply. KubeRay ignores this change in a running RayService, and no event reports it: patch the RayCluster of \`${name}\` too.${autoscaling ? '' : ' Raise `maxReplicas` of the group first if the number exceeds it.'}`,
      commands: [
        activeCluster(kubectl, name),
        `${kubectl('patch', 'raycluster').toString()} "$cluster" --type=json -p '${patch}'`,
      ],
      placeholders: {
        GROUP_INDEX: 'number of the worker group in the chart, from 0',
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
          text: `KubeRay applies a changed \`serveConfig\` to the running cluster, and ignores other changes. To change the image, the slices or the resources, delete \`${name}\` and apply again: it does not serve in between.`,
          commands: [kubectl('delete', 'rayservice', name)],
        },
      ]
    : [
        {
          text: `KubeRay applies a changed \`serveConfig\` to the running cluster. For other changes it starts a second cluster of \`${name}\`, which needs its own slices, and deletes the first one when the second serves.`,
          commands: [],
        },
      ];
}

/** Requirements and steps of a Ray cluster on its own. */
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
            text: 'Submit a command to the dashboard, with the Ray of the image on your machine.',
            commands: [
              `ray job submit --address http://localhost:${String(RAY_PORTS.dashboard)} -- python -c 'import ray; ray.init(); print(ray.cluster_resources())'`,
            ],
          },
        ],
        change: [
          {
            text: `KubeRay adds and removes slices of \`${name}\` when you apply other \`replicas\`, and does not change running pods. To change the image, the slices or the resources, delete the cluster and apply again.`,
            commands: [kubectl('delete', 'raycluster', name)],
          },
        ],
      },
    };
  };

/** Requirements and steps of a Ray job. */
export const rayJobOperations =
  (job: { readonly rayJob: { readonly name: string } }, props: TpuRayJobProps) =>
  (kubectl: Kubectl): Operations => {
    const { name } = job.rayJob;
    return {
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
            text: `KubeRay runs a RayJob once, and a changed one has no effect. Delete \`${name}\` first, or give the new one another name.`,
            commands: [kubectl('delete', 'rayjob', name)],
          },
        ],
      },
    };
  };
