import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { isLabel, MAX_LABEL } from './common';
import { shown } from '../../../problems/shown';
import { specPath } from '../../../manifest/slices';
import { text } from '../../../manifest/manifest';

export const TPU208 = defineRule({
  code: 'TPU208',
  title: 'a subdomain is the name of a Service',
  severities: ['error'],
  kinds: ['pods'],
  check: eachPod(function* (pod) {
    const subdomain = text(pod.spec, 'subdomain');
    if (subdomain === undefined || subdomain === '' || isLabel(subdomain)) return;
    const nearest = subdomain.toLowerCase().split('.')[0]?.slice(0, MAX_LABEL) ?? '';
    yield {
      object: pod.object,
      path: `${specPath(pod)}.subdomain`,
      message: `subdomain ${shown(subdomain)} is not a DNS label, so the API server refuses it`,
      fix: `set subdomain to the name of the headless Service${isLabel(nearest) ? `, like '${nearest}'` : ''}`,
    };
  }),
});
