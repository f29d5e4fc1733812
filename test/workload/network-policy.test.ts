import { type NetworkPolicyPeer } from 'cdk8s-plus-29/lib/imports/k8s';
import { Testing } from 'cdk8s';
import { InvalidInputError, SaxCell, TpuRayService, TpuSlice, VllmServer } from '../../lib';
import { Problems, textOf } from '../../lib/problems/problems';
import { checkPeers } from '../../lib/workload/network-policy';

/** What is said of peers. */
function problemsWith(...peers: readonly NetworkPolicyPeer[]): readonly string[] {
  const problems = new Problems();
  checkPeers('allowedClients', peers, problems);
  try {
    problems.throwIfAny();
  } catch (error) {
    if (error instanceof InvalidInputError) return error.problems.map(textOf);
    throw error;
  }
  return [];
}

test('peers are pods, namespaces or addresses', () => {
  expect(
    problemsWith(
      { podSelector: {} },
      { namespaceSelector: {}, podSelector: { matchLabels: { app: 'a' } } },
      { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } },
      { ipBlock: { cidr: 'fd00::/128' } },
    ),
  ).toEqual([]);
});

const noRange = (cidr: string): string =>
  `allowedClients[0] ipBlock cidr '${cidr}' is not a range of addresses, expected one like '10.0.0.0/8'`;
test.each<[NetworkPolicyPeer, string]>([
  [{}, 'allowedClients[0] names nobody, expected a podSelector, a namespaceSelector or an ipBlock'],
  [
    { ipBlock: { cidr: '10.0.0.0/8' }, podSelector: {} },
    'allowedClients[0] has an ipBlock beside selectors, expected one of them: a peer is an address or a pod',
  ],
  [{ ipBlock: { cidr: '10.0.0.1' } }, noRange('10.0.0.1')],
  [{ ipBlock: { cidr: '10.0.0.0/33' } }, noRange('10.0.0.0/33')],
  [{ ipBlock: { cidr: '10.0.0/8' } }, noRange('10.0.0/8')],
  [{ ipBlock: { cidr: 'fd00::/129' } }, noRange('fd00::/129')],
  [{ ipBlock: { cidr: '' } }, noRange('')],
])('%j is refused', (peer, sentence) => {
  expect(problemsWith(peer)).toEqual([sentence]);
});

test('every construct refuses them', () => {
  const slice = TpuSlice.of('ct6e-standard-1t');
  const allowedClients = [{}];
  const nobody = 'names nobody, expected a podSelector, a namespaceSelector or an ipBlock';
  const chart = Testing.chart();
  expect(() => new VllmServer(chart, 'vllm', { model: 'x/y-1b', slice, allowedClients })).toThrow(
    new InvalidInputError([`allowedClients[0] ${nobody}`], 'test/vllm'),
  );
  expect(
    () =>
      new SaxCell(chart, 'sax', {
        slice: TpuSlice.of('ct5lp-hightpu-1t'),
        bucketName: 'my-bucket',
        serviceAccountName: 'sax',
        allowedClients,
      }),
  ).toThrow(new InvalidInputError([`allowedClients[0] ${nobody}`], 'test/sax'));
  expect(
    () =>
      new TpuRayService(chart, 'ray', {
        serveConfig: { applications: [{ name: 'app', importPath: 'app:deployment' }] },
        workerGroups: [{ groupName: 'tpu', slice, cpu: '10', memory: '20G' }],
        allowedClients,
        operatorPeers: [{}],
      }),
  ).toThrow(new InvalidInputError([`allowedClients[0] ${nobody}`, `operatorPeers[0] ${nobody}`], 'test/ray'));
});
