import { capacityOf } from '../../lib/manifest/capacity';
import { type Json, manifestObject } from '../../lib/manifest/manifest';
import { podsOf, type PodView } from '../../lib/manifest/pods';
import { servicesOf } from '../../lib/manifest/selection';
import { manifestSet } from '../../lib/manifest/set';
import { sliceOf } from '../../lib/manifest/slices';
import { apps, container, job, pod, service, template, tpu } from '../checks/manifests';

const viewOf = (manifest: Json): PodView => {
  const [view] = podsOf(manifestObject(manifest));
  if (!view) throw new Error('no pod');
  return view;
};

describe('the chips of a pod', () => {
  const chips = (init: readonly string[], main: readonly string[]): number | undefined =>
    sliceOf(
      viewOf(
        pod(tpu('2x2'), undefined, {
          initContainers: init.map((one, index) => container(one, { name: `init-${String(index)}` })),
          containers: main.map((one, index) => container(one, { name: `main-${String(index)}` })),
        }),
      ),
    ).chips;

  test('are the most that one init container requests, because they run one after another', () => {
    expect(chips(['4', '4'], [])).toBe(4);
    expect(chips(['1', '4'], [])).toBe(4);
  });

  test('add up the chips of all containers, because they run at the same time', () => {
    expect(chips([], ['2', '2'])).toBe(4);
    expect(chips(['4'], ['2', '2'])).toBe(4);
  });
});

describe('the capacity of a pod', () => {
  const type = (labels: Json): string => capacityOf(viewOf(pod({ ...tpu('2x2'), ...labels }, '4'))).type;

  test.each<[Json, string]>([
    [{}, 'on-demand'],
    [{ 'cloud.google.com/gke-spot': 'true' }, 'spot'],
    [{ 'cloud.google.com/gke-flex-start': 'true' }, 'flex-start'],
    [{ 'cloud.google.com/gke-flex-start': 'true', 'cloud.google.com/gke-spot': 'true' }, 'flex-start'],
    [
      { 'cloud.google.com/gke-queued': 'true', 'cloud.google.com/gke-flex-start': 'true' },
      'flex-start-queued',
    ],
    [{ 'cloud.google.com/gke-spot': 'true', 'cloud.google.com/reservation-name': 'r' }, 'spot'],
    [{ 'cloud.google.com/compute-class': 'mine', 'cloud.google.com/gke-spot': 'true' }, 'compute-class'],
  ])('is found from the selectors %j: %s', (labels, expected) => {
    expect(type(labels)).toBe(expected);
  });
});

test('a Service lists its pods in the order of the manifests, also if a controller sets the label', () => {
  const own = { ...template({}, '4'), metadata: { labels: { 'job-name': 'a' } } };
  const manifests = [
    job({}, template({}, '4'), { name: 'a' }),
    apps('Deployment', own),
    { ...job({}, template({}, '4')), metadata: { generateName: 'a-' } },
    { ...apps('StatefulSet', own), metadata: { name: 'z' } },
    service({ selector: { 'job-name': 'a' } }),
  ];
  const [found] = servicesOf(manifestSet(manifests.map((manifest) => manifestObject(manifest))));
  expect(found?.pods.map(({ object }) => object.kind)).toEqual(['Job', 'Deployment', 'Job', 'StatefulSet']);
});
