import { JETSTREAM_HTTP_IMAGE, SERVERS } from '../../../facts/servers';
import { amount, at, isRecord, record } from '../../../manifest/manifest';
import { imageNameOf, modelServerOf } from '../../../manifest/model-servers';
import { type ContainerView } from '../../../manifest/pods';
import { defineRule } from '../../rule';
import { eachServer } from './common';

/** Other servers open their port when the model has loaded, so tcpSocket works for them. */
export const TPU302 = defineRule({
  code: 'TPU302',
  title: 'the probes of JetStream and Saxml check for an answer, not for an open port',
  severities: ['warning'],
  kinds: ['pods'],
  check: eachServer(function* (pod) {
    for (const one of pod.containers.filter(listensEarly)) {
      const { container, name, path } = one;
      const start = record(container, 'startupProbe');
      const guarded = Object.keys(start).length > 0 && !isRecord(at(start, 'tcpSocket'));
      for (const probe of ['startupProbe', 'readinessProbe'] as const) {
        const port = amount(container, probe, 'tcpSocket', 'port');
        if (port === undefined || guarded) continue;
        yield {
          object: pod.object,
          path: `${path}.${probe}.tcpSocket`,
          message: `the ${probe} of container '${name}' checks whether port '${port}' is open, but ${whoListens(one)} opens it before the model has loaded`,
          fix: 'replace tcpSocket with an httpGet or exec probe that queries the model server',
        };
      }
    }
  }),
});

const isJetStreamHttp = (one: ContainerView): boolean => JETSTREAM_HTTP_IMAGE.test(imageNameOf(one));

const listensEarly = (one: ContainerView): boolean => {
  const server = modelServerOf(one);
  return (
    !one.init &&
    (isJetStreamHttp(one) || (server !== undefined && SERVERS[server.software].listensEarly === true))
  );
};

const whoListens = (one: ContainerView): string =>
  isJetStreamHttp(one) ? 'jetstream-http' : 'the Saxml model server';
