import { CONTROLLERS } from '../../facts/controllers';
import { type Kubectl, type Operations } from '../../operations/operations';
import { endpointOf } from '../operations';
import { type TpuRayService, type TpuRayServiceProps, type TpuRayWorkerGroup } from './service';

/** First GKE version whose Ray Operator add-on the tutorial runs with: https://cloud.google.com/kubernetes-engine/docs/add-on/ray-on-gke/tutorials/deploy-ray-serve-stable-diffusion-tpu */
const RAY_OPERATOR_GKE_VERSION = '1.30.1';
/** The tutorial's own nodes, on which its head runs. */
const HEAD_MACHINE_TYPE = 'n1-standard-8';

/** What a Ray service needs, and what is done with it. */
export const rayOperations =
  (
    service: TpuRayService,
    props: TpuRayServiceProps,
    facts: {
      readonly dashboardPort: number;
      readonly servePort: number;
      readonly head: { readonly cpu: string; readonly memory: string };
      readonly scaleOf: (group: TpuRayWorkerGroup) => {
        readonly replicas: number;
        readonly minReplicas: number;
        readonly maxReplicas: number;
      };
    },
  ) =>
  (kubectl: Kubectl): Operations => {
    const { name } = service.rayService;
    const { spareSlices = 0, enableInTreeAutoscaling = false } = props;
    const { cpu, memory } = facts.head;
    const dashboard = endpointOf(kubectl, {
      name: service.headServiceName,
      port: facts.dashboardPort,
      type: undefined,
    });
    const serve = endpointOf(kubectl, {
      name: service.serveServiceName,
      port: facts.servePort,
      type: undefined,
    });
    return {
      slices: props.workerGroups.map((group, index) => {
        const { replicas, minReplicas, maxReplicas } = facts.scaleOf(group);
        const spare = index === 0 ? spareSlices : 0;
        return {
          slice: group.slice,
          capacity: group.capacity,
          replicas: (enableInTreeAutoscaling ? maxReplicas : replicas) + spare,
          ...(enableInTreeAutoscaling && { minReplicas }),
        };
      }),
      addOns: ['RayOperator'],
      controllers: [CONTROLLERS.kubeRay],
      gkeVersions: [{ version: RAY_OPERATOR_GKE_VERSION, because: 'the Ray Operator add-on with TPUs' }],
      images: props.image === undefined ? [] : [props.image],
      ownNodes: {
        machineType:
          props.head?.cpu === undefined && props.head?.memory === undefined ? HEAD_MACHINE_TYPE : undefined,
        because: `the head, which asks for ${cpu} CPU and ${memory} of memory`,
      },
      steps: {
        verify: [
          {
            text: `Look whether \`${name}\` is running.`,
            commands: [kubectl('get', 'rayservice', name)],
          },
          { text: 'Look at its pods.', commands: [kubectl('get', 'pods', '-l', `app=${name}`)] },
        ],
        call: [
          {
            ...dashboard.open,
            text: `${dashboard.open.text} The dashboard is then at \`${dashboard.url}\`.`,
          },
          {
            ...serve.open,
            text: `${serve.open.text} KubeRay makes this Service when the applications run.`,
          },
          {
            text: 'List the routes of the applications; what each answers is their own.',
            commands: [`curl -s ${serve.url}/-/routes`],
          },
        ],
        scale: [
          {
            text: enableInTreeAutoscaling
              ? "Ray's autoscaler decides between `minReplicas` and `maxReplicas` of each group. Watch it."
              : 'Change `replicas` of a group in the chart, make a node pool or node for each slice more, and apply.',
            commands: enableInTreeAutoscaling ? [kubectl('get', 'rayclusters', '--watch')] : [],
          },
        ],
      },
    };
  };
