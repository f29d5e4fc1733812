import {
  cloudDomain,
  clusterName,
  gkeVersion,
  iamAccount,
  iamRole,
  isPlaceholder,
  isRegion,
  location,
  machineType,
  orPlaceholder,
  projectId,
  projectNumber,
  region,
  regionOf,
  zone,
} from '../../lib/problems/google-cloud';
import { type Grammar } from '../../lib/problems/grammar';

/** Texts that a grammar accepts; the problem and advice of others, each with the nearest valid text if there is one. */
interface Cases {
  readonly grammar: Grammar;
  readonly accepts: readonly string[];
  readonly refuses: readonly {
    readonly problem: string;
    readonly use: string;
    readonly texts: readonly (readonly [string, nearest?: string])[];
  }[];
}

const GRAMMARS: Readonly<Record<string, Cases>> = {
  clusterName: {
    grammar: clusterName,
    accepts: ['a'.repeat(40)],
    refuses: [{ problem: 'has 41 characters', use: 'at most 40', texts: [['a'.repeat(41), 'a'.repeat(40)]] }],
  },
  orPlaceholder: {
    grammar: orPlaceholder(zone),
    accepts: ['ZONE', 'us-west4-a'],
    refuses: [{ problem: 'is not a zone', use: 'a zone', texts: [['x', 'us-west4-a']] }],
  },
  projectId: {
    grammar: projectId,
    accepts: ['my-project', 'example.com:my-project', 'a'.repeat(30), 'abcdef'],
    refuses: [
      {
        problem: 'is not a project ID',
        use: "6 to 30 lower-case letters, digits and '-', starting with a letter",
        texts: [
          ['a'.repeat(31)],
          ['abcde'],
          ['1bcdef'],
          ['abcde-'],
          ['A-project'],
          ['my_project'],
          ['xA.com:my-project'],
          ['my-project x'],
        ],
      },
    ],
  },
  projectNumber: {
    grammar: projectNumber,
    accepts: ['123456', '1111111111111111111'],
    refuses: [
      {
        problem: 'is not a project number',
        use: "the digits that this command prints: gcloud projects describe PROJECT_ID --format='value(projectNumber)'",
        texts: [['11111111111111111111'], ['12345'], ['12345a'], ['a123456']],
      },
    ],
  },
  iamAccount: {
    grammar: iamAccount,
    accepts: ['my-account', 'a'.repeat(30)],
    refuses: [
      {
        problem: 'is not the name of an IAM service account',
        use: "6 to 30 lower-case letters, digits and '-', without the part after '@'",
        texts: [
          ['abcde'],
          ['a'.repeat(31)],
          ['1abcde'],
          ['abcde-'],
          ['a@b.com'],
          ['my account'],
          ['Amy-account'],
          ['-my-account'],
        ],
      },
    ],
  },
  iamRole: {
    grammar: iamRole,
    accepts: [
      'roles/storage.objectViewer',
      'projects/my-p/roles/my_role',
      'organizations/123/roles/r1',
      'projects/p:1.x/roles/a',
    ],
    refuses: [
      {
        problem: 'is not a role',
        use: "a role like 'roles/storage.objectViewer'",
        texts: [
          ['organizations/abc/roles/r1'],
          ['storage.objectViewer'],
          ['roles/'],
          ['roles/1a'],
          ['roles/a b'],
          ['projects//roles/a'],
          ['x/roles/a'],
          [' roles/a'],
          ['organizations/12/x/roles/a'],
        ],
      },
    ],
  },
  location: {
    grammar: location,
    accepts: ['us-west4', 'us-west4-a', 'us-west4-ab'],
    refuses: [
      {
        problem: 'is neither a zone nor a region',
        use: 'a zone or region',
        texts: [
          ['us-east-5b', 'us-east5-b'],
          ['US West4 A', 'us-west4-a'],
          ['us_west4_a', 'us-west4-a'],
          ['us-west4a', 'us-west4-a'],
          ['us-west-4', 'us-west4'],
          ['west', 'us-west4-a'],
          ['', 'us-west4-a'],
        ],
      },
    ],
  },
  region: {
    grammar: region,
    accepts: ['us-west4'],
    refuses: [
      { problem: 'is a zone', use: 'its region', texts: [['us-west4-a', 'us-west4']] },
      {
        problem: 'is not a region',
        use: 'a region',
        texts: [
          ['us-west-4', 'us-west4'],
          ['west', 'us-west4'],
          ['us-east-5b', 'us-east5-b'],
        ],
      },
    ],
  },
  zone: {
    grammar: zone,
    accepts: ['us-west4-a'],
    refuses: [
      { problem: 'is a region', use: 'one of its zones', texts: [['us-west4', 'us-west4-a']] },
      {
        problem: 'is not a zone',
        use: 'a zone',
        texts: [
          ['us-east-5b', 'us-east5-b'],
          ['us-west4a', 'us-west4-a'],
          ['west', 'us-west4-a'],
        ],
      },
    ],
  },
  gkeVersion: {
    grammar: gkeVersion,
    accepts: ['1.31', '1.31.2', '1.31.2-gke.1115000'],
    refuses: [
      {
        problem: 'is not a GKE version',
        use: 'a GKE version',
        texts: [
          ['1', '1.31.2-gke.1115000'],
          ['1.', '1.31.2-gke.1115000'],
          ['2.31', '1.31.2-gke.1115000'],
          ['1.31.2-gke', '1.31.2-gke.1115000'],
          ['1.31-gke.1', '1.31.2-gke.1115000'],
          ['v1.31', '1.31.2-gke.1115000'],
          ['1.31.2-gke.1 ', '1.31.2-gke.1115000'],
          ['1.31.2.3', '1.31.2-gke.1115000'],
        ],
      },
    ],
  },
  machineType: {
    grammar: machineType,
    accepts: ['e2-standard-4', 'ct6e-standard-4t'],
    refuses: [
      {
        problem: 'is not a machine type',
        use: 'a machine type',
        texts: [
          ['e2', 'e2-standard-4'],
          ['2e-standard', 'e2-standard-4'],
          ['e2-', 'e2-standard-4'],
          ['E2-standard', 'e2-standard-4'],
          ['e2_standard', 'e2-standard-4'],
          ['e2-standard-', 'e2-standard-4'],
          ['n1-a b', 'e2-standard-4'],
          [' n1-a', 'e2-standard-4'],
        ],
      },
    ],
  },
  cloudDomain: {
    grammar: cloudDomain('svc.id.goog'),
    accepts: ['svc.id.goog', 'a.b'],
    refuses: [
      {
        problem: 'is not a domain',
        use: 'a domain',
        texts: [
          ['a', 'svc.id.goog'],
          ['a.', 'svc.id.goog'],
          ['.a', 'svc.id.goog'],
          ['A.b', 'svc.id.goog'],
          ['a..b', 'svc.id.goog'],
          ['a b.c', 'svc.id.goog'],
          ['x_a.b', 'svc.id.goog'],
        ],
      },
    ],
  },
};

describe.each(Object.entries(GRAMMARS))('%s', (_, { grammar, accepts, refuses }) => {
  test.each(accepts)('accepts %j', (text) => {
    expect(grammar(text)).toBeUndefined();
  });

  test.each(
    refuses.flatMap(({ texts, ...why }) =>
      texts.map(([text, nearest]) => ({ text, why: { ...why, ...(nearest !== undefined && { nearest }) } })),
    ),
  )('refuses $text', ({ text, why }) => {
    expect(grammar(text)).toEqual(why);
  });
});

describe('whether a text is a placeholder', () => {
  test.each<[string, boolean]>([
    ['PROJECT_ID', true],
    ['A', true],
    ['A1', true],
    ['A_1', true],
    ['1A', false],
    ['a', false],
    ['A-B', false],
    ['A_', false],
    ['_A', false],
    ['A__B', false],
    ['xA', false],
    ['A b', false],
  ])('%j: %p', (text, expected) => {
    expect(isPlaceholder(text)).toBe(expected);
  });
});

describe('whether a text has the form of a region', () => {
  test.each<[string, boolean]>([
    ['us-west4', true],
    ['northamerica-northeast1', true],
    ['europe-west12', true],
    ['us-central-west1', true],
    ['us', false],
    ['us4', false],
    ['us-west', false],
    ['us-west4-a', false],
    ['US-west4', false],
    ['1us-west4', false],
    ['us-west4 ', false],
  ])('%j: %p', (text, expected) => {
    expect(isRegion(text)).toBe(expected);
  });
});

describe('the region of a place', () => {
  test.each<[string, string | undefined]>([
    ['us-west4', 'us-west4'],
    ['us-west4-a', 'us-west4'],
    ['us-east5-ai1a', 'us-east5'],
    ['us-central-west1-b', 'us-central-west1'],
    ['us-west-4a', undefined],
    ['us-west4-', undefined],
    ['us-west4-1', undefined],
    ['xUs-west4-a', undefined],
    ['us-west4-a b', undefined],
  ])('of %j is %j', (text, expected) => {
    expect(regionOf(text)).toBe(expected);
  });
});
