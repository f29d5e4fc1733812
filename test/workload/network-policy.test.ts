import { Testing } from 'cdk8s';
import { InvalidInputError, SaxCell, TpuRayService, TpuSlice, VllmServer } from '../../lib';
import { Problems, textOf } from '../../lib/problems/problems';
import { list } from '../../lib/problems/schema';
import { peerType } from '../../lib/workload/network-policy';

/** Problems of peers. */
function problemsWith(...peers: readonly unknown[]): readonly string[] {
  const problems = new Problems();
  list(peerType).read(peers, 'allowedClients', problems);
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
  `allowedClients[0].ipBlock.cidr: '${cidr}' is not a range of addresses; use a range, for example '10.0.0.0/8'`;
test.each<[object, string]>([
  [
    { podSelector: { app: 'x' } },
    "allowedClients[0].podSelector.app: unknown property; use one of 'matchExpressions', 'matchLabels'",
  ],
  [{ podSelectr: {} }, "allowedClients[0].podSelectr: unknown property; did you mean 'podSelector'?"],
  [
    { podSelector: { matchLabels: { app: 'a\n' } } },
    String.raw`allowedClients[0].podSelector.matchLabels[app]: 'a\n' is not a label value; use at most 63 letters, digits, '.', '_' and '-', starting and ending with a letter or digit, for example 'a'`,
  ],
  [
    { podSelector: { matchLabels: { app: 1 } } },
    "allowedClients[0].podSelector.matchLabels[app]: '1' is a number; use a string",
  ],
  [{}, 'allowedClients[0]: selects no clients; use a podSelector, a namespaceSelector or an ipBlock'],
  [
    { ipBlock: { cidr: '10.0.0.0/8' }, podSelector: {} },
    'allowedClients[0]: has an ipBlock and selectors, but a peer is either an address range or a set of pods; use two peers',
  ],
  [{ ipBlock: { cidr: '10.0.0.1' } }, noRange('10.0.0.1')],
  [{ ipBlock: { cidr: '10.0.0.0/33' } }, noRange('10.0.0.0/33')],
  [{ ipBlock: { cidr: '10.0.0/8' } }, noRange('10.0.0/8')],
  [{ ipBlock: { cidr: 'fd00::/129' } }, noRange('fd00::/129')],
  [{ ipBlock: { cidr: '' } }, noRange('')],
])('rejects %j', (peer, sentence) => {
  expect(problemsWith(peer)).toEqual([sentence]);
});

test('every construct rejects invalid peers', () => {
  const slice = TpuSlice.of('ct6e-standard-1t');
  const allowedClients = [{}];
  const nobody = 'selects no clients; use a podSelector, a namespaceSelector or an ipBlock';
  const chart = Testing.chart();
  const messageOf = (make: () => unknown): string => {
    try {
      make();
    } catch (error) {
      if (error instanceof InvalidInputError) return error.message;
      throw error;
    }
    return '';
  };
  expect(messageOf(() => new VllmServer(chart, 'vllm', { model: 'x/y-1b', slice, allowedClients }))).toBe(
    `test/vllm allowedClients[0]: ${nobody}`,
  );
  expect(
    messageOf(
      () =>
        new SaxCell(chart, 'sax', {
          slice: TpuSlice.of('ct5lp-hightpu-1t'),
          bucketName: 'my-bucket',
          serviceAccountName: 'sax',
          allowedClients,
        }),
    ),
  ).toBe(`test/sax allowedClients[0]: ${nobody}`);
  expect(
    messageOf(
      () =>
        new TpuRayService(chart, 'ray', {
          serveConfig: { applications: [{ name: 'app', importPath: 'app:deployment' }] },
          workerGroups: [{ groupName: 'tpu', slice }],
          allowedClients,
          operatorPeers: [{}],
        }),
    ),
  ).toBe(`test/ray allowedClients[0]: ${nobody}\ntest/ray operatorPeers[0]: ${nobody}`);
});
