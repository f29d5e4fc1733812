import { type ApiObject } from 'cdk8s';
import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
import { type PodMonitoringProps } from '../../imports/monitoring.googleapis.com';
import { MONITORING_GROUP, TOKEN_SECRET_ANNOTATION, TOKEN_SECRET_TYPE } from '../facts/labels';
import { custom, grant } from '../workload/custom';
import { object } from '../workload/objects';
import { COLLECTORS } from '../workload/network-policy';
import { pickerSelector } from './picker';
import { KINDS } from '../facts/rendered';
import { manifest } from '../workload/plain';

/** Facts for the collection of metrics. The picker answers only readers that the API server authenticates. */
interface PickerMonitoring {
  readonly pool: string;
  readonly namespace: string;
  readonly labels: Record<string, string>;
  readonly interval: string | undefined;
}

/**
 * Makes Managed Service for Prometheus collect the picker's metrics. The collector sends the token of a ServiceAccount that can read
 * `/metrics`. The token is in a Secret that the collector can read.
 *
 * @see https://cloud.google.com/stackdriver/docs/managed-prometheus/setup-managed
 */
export function placePickerMonitoring(
  scope: Construct,
  { pool, namespace, labels, interval = '10s' }: PickerMonitoring,
): ApiObject {
  const reader = `${pool}-metrics-reader-sa`;
  const secret = `${pool}-metrics-reader-secret`;
  const subjects = [{ name: reader, namespace }];
  const metadata = (name: string): k8s.ObjectMeta => ({ name, namespace, labels });
  object(
    scope,
    'MetricsReader',
    manifest<k8s.KubeServiceAccountProps>(KINDS.ServiceAccount, { metadata: metadata(reader) }),
  );
  object(
    scope,
    'MetricsToken',
    manifest<k8s.KubeSecretProps>(KINDS.Secret, {
      metadata: { ...metadata(secret), annotations: { [TOKEN_SECRET_ANNOTATION]: reader } },
      type: TOKEN_SECRET_TYPE,
    }),
  );
  grant(scope, 'MetricsReader', {
    name: `${namespace}-${pool}-metrics-reader`,
    namespace: undefined,
    labels,
    subjects,
    rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
  });
  grant(scope, 'MetricsSecret', {
    name: `${pool}-metrics-reader-secret-read`,
    namespace,
    labels,
    rules: [
      { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'], resourceNames: [secret] },
    ],
    // GKE runs the collector in one of two namespaces.
    subjects: COLLECTORS.map((one) => ({ name: 'collector', namespace: one })),
  });
  return custom<PodMonitoringProps>(
    scope,
    'PodMonitoring',
    { apiVersion: `${MONITORING_GROUP}/v1`, kind: 'PodMonitoring' },
    {
      metadata: metadata(pool),
      spec: {
        selector: { matchLabels: pickerSelector(pool) },
        endpoints: [
          {
            port: 'metrics',
            scheme: 'http',
            path: '/metrics',
            interval,
            authorization: { type: 'Bearer', credentials: { secret: { name: secret, key: 'token' } } },
          },
        ],
      },
    },
  );
}
