import { MONITORING_READER } from '../facts/autoscaling';
import { type RunbookStep } from './operations';

/**
 * What KEDA needs.
 *
 * @see https://github.com/kedacore/keda/blob/v2.20.2/pkg/scalers/prometheus_scaler.go
 */
export const kedaStep = (name: string): RunbookStep => ({
  text: `KEDA scales \`${name}\`. Install it if the cluster does not have it (https://keda.sh/docs/latest/deploy/). If it reads Managed Service for Prometheus with its own credentials, grant its ServiceAccount \`keda-operator\` the role \`${MONITORING_READER}\`.`,
  commands: [],
});
