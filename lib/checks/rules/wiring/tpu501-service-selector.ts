import { defineRule } from '../../rule';
import { servicesOf, takenBy } from '../../../manifest/selection';
import { selectsAddedLabels, unselected } from './common';

export const TPU501 = defineRule({
  code: 'TPU501',
  title: 'the selector of a Service selects pods',
  severities: ['error', 'note'],
  kinds: ['pods', 'Service'],
  nearTpus: true,
  check: function* (set) {
    const services = servicesOf(set);
    const taken = takenBy(services);
    for (const service of services)
      if (service.all.length === 0 && !selectsAddedLabels(service))
        yield unselected(set, service, taken, 'spec.selector', 'Service');
  },
});
