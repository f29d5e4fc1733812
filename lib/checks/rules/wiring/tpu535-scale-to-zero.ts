import { PICKER_GAUGES, SERVER_GAUGES } from '../../../facts/metrics';
import { type ManifestObject, number } from '../../../manifest/manifest';
import { records } from '../../../manifest/pods';
import { KEDA_DEFAULTS, scalersOf } from '../../../manifest/scalers';
import { defineRule, type Violation } from '../../rule';
import { metricsRead, triggersOf } from './common';

type Found = Iterable<Violation<'warning'>>;

export const TPU535 = defineRule({
  code: 'TPU535',
  title: 'a server can start again after KEDA scales it to zero',
  severities: ['warning'],
  kinds: ['ScaledObject'],
  check: function* (set) {
    // TPU719 reports HorizontalPodAutoscalers that scale to zero
    for (const { object } of scalersOf(set)) if (object.kind === 'ScaledObject') yield* ofKeda(object);
  },
});

function* ofKeda(object: ManifestObject): Found {
  const { manifest } = object;
  const given = number(manifest, 'spec', 'minReplicaCount');
  const isIdle = number(manifest, 'spec', 'idleReplicaCount') === 0;
  const triggers = triggersOf(object);
  // triggers of other types, like cron, can also start servers
  if ((given ?? KEDA_DEFAULTS.min) !== 0 && !isIdle) return;
  if (triggers.length === 0 || triggers.length < records(manifest, 'spec', 'triggers').length) return;
  const field = isIdle ? 'idleReplicaCount' : 'minReplicaCount';
  const path = isIdle || given !== undefined ? `spec.${field}` : 'spec';
  const names = metricsRead(object).map(({ name }) => name);
  const has = (test: (name: string) => boolean): boolean => names.some(test);
  const ofServers = triggers.every(({ path: place }) =>
    metricsRead(object).some((one) => one.path === place && SERVER_GAUGES.has(one.name)),
  );
  const zero = path === 'spec' ? `minReplicaCount '0' (the default)` : `${field} '0'`;
  if (ofServers && !has((name) => name === 'vector' || name === 'absent' || PICKER_GAUGES.has(name)))
    yield {
      object,
      path,
      message: `${zero} lets KEDA stop all servers, but only running servers export the metrics that it reads, so KEDA never starts them again`,
      fix: 'set minReplicaCount: 1 without idleReplicaCount, or add a trigger whose metric exists without servers, like llm_d_epp_flow_control_queue_size of the endpoint picker',
    };
  else if (has(isQueue) && !has((name) => !isQueue(name) && isLoad(name)))
    yield {
      object,
      path,
      message: `${zero} lets KEDA stop the last server while it processes requests, because the queue of the endpoint picker is then empty`,
      fix: 'add a trigger for llm_d_epp_request_running',
    };
}

/** Whether a metric shows that servers process requests. */
const isLoad = (name: string): boolean => PICKER_GAUGES.has(name) || SERVER_GAUGES.has(name);

const isQueue = (name: string): boolean => PICKER_GAUGES.get(name)?.flowControl === true;
