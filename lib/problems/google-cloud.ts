// Grammars of Google Cloud: each function returns the problem of a value, or undefined.
import { dnsLabel, type Grammar } from './grammar';

/** Whether a text is a placeholder that the reader of a command replaces: `PROJECT_ID`. */
export const isPlaceholder = (value: string): boolean => /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(value);

/** Like `grammar`, but also accepts placeholders. */
export const orPlaceholder =
  (grammar: Grammar): Grammar =>
  (value) =>
    isPlaceholder(value) ? undefined : grammar(value);

/** Texts that match `form`; `problem` and `use` describe those that do not. */
const matching =
  (form: RegExp, problem: string, use: string, nearest?: string): Grammar =>
  (value) =>
    form.test(value) ? undefined : { problem, use, ...(nearest !== undefined && { nearest }) };

/** Longest name of a cluster or node pool. */
export const GKE_NAME_LENGTH = 40;

/** Names of clusters. */
export const clusterName: Grammar = dnsLabel(GKE_NAME_LENGTH);

/**
 * IDs of projects.
 *
 * @see https://cloud.google.com/resource-manager/docs/creating-managing-projects
 */
export const projectId: Grammar = matching(
  /^([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/,
  'is not a project ID',
  "6 to 30 lower-case letters, digits and '-', starting with a letter",
);

/** Numbers of projects. */
export const projectNumber: Grammar = matching(
  /^[0-9]{6,19}$/,
  'is not a project number',
  "the digits that this command prints: gcloud projects describe PROJECT_ID --format='value(projectNumber)'",
);

/** Names of IAM service accounts, without the part after `@`. */
export const iamAccount: Grammar = matching(
  /^[a-z][a-z0-9-]{4,28}[a-z0-9]$/,
  'is not the name of an IAM service account',
  "6 to 30 lower-case letters, digits and '-', without the part after '@'",
);

/** IAM roles: predefined, or custom roles of a project or organization. */
export const iamRole: Grammar = matching(
  /^((projects\/[a-z0-9.:-]+|organizations\/\d+)\/)?roles\/[A-Za-z][A-Za-z0-9_.]*$/,
  'is not a role',
  "a role like 'roles/storage.objectViewer'",
);

const REGION = /^[a-z]+(-[a-z]+)+\d+$/;
const ZONE = /^([a-z]+(?:-[a-z]+)+\d+)-[a-z][a-z0-9]*$/;

/** Whether a text has the form of a region: `us-west4`. */
export const isRegion = (value: string): boolean => REGION.test(value);

/** Returns the region of a zone or region; undefined if the text is neither. */
export const regionOf = (location: string): string | undefined =>
  isRegion(location) ? location : ZONE.exec(location)?.[1];

/** Returns the zone or region that a misspelt one resembles: `us-east5-b` for `us-east-5b`. */
function nearestPlace(value: string): string | undefined {
  const [, area = '', number = '', letter = ''] =
    /^([a-z]+(?:-[a-z]+)+)-?(\d+)-?([a-z]?)$/.exec(value.toLowerCase().replace(/[\s_]+/g, '-')) ?? [];
  return area === '' ? undefined : `${area}${number}${letter && `-${letter}`}`;
}

/** Zones and regions. */
export const location: Grammar = (value) =>
  regionOf(value) === undefined
    ? {
        problem: 'is neither a zone nor a region',
        use: 'a zone or region',
        nearest: nearestPlace(value) ?? 'us-west4-a',
      }
    : undefined;

/** Regions. */
export const region: Grammar = (value) => {
  if (isRegion(value)) return undefined;
  const around = regionOf(value);
  return around === undefined
    ? { problem: 'is not a region', use: 'a region', nearest: nearestPlace(value) ?? 'us-west4' }
    : { problem: 'is a zone', use: 'its region', nearest: around };
};

/** Zones. */
export const zone: Grammar = (value) => {
  if (ZONE.test(value)) return undefined;
  return isRegion(value)
    ? { problem: 'is a region', use: 'one of its zones', nearest: `${value}-a` }
    : { problem: 'is not a zone', use: 'a zone', nearest: nearestPlace(value) ?? 'us-west4-a' };
};

/** Versions of GKE, whole or without their last parts. */
export const gkeVersion: Grammar = matching(
  /^1\.\d+(\.\d+(-gke\.\d+)?)?$/,
  'is not a GKE version',
  'a GKE version',
  '1.31.2-gke.1115000',
);

/** Machine types of Compute Engine. */
export const machineType: Grammar = matching(
  /^[a-z][a-z0-9]*(-[a-z0-9]+)+$/,
  'is not a machine type',
  'a machine type',
  'e2-standard-4',
);

/** Domain of workload identity pools, except in sovereign clouds. */
export const WORKLOAD_POOL_DOMAIN = 'svc.id.goog';
/** Domain of IAM service accounts, except in sovereign clouds. */
export const SERVICE_ACCOUNT_DOMAIN = 'iam.gserviceaccount.com';

/** Domains of workload identity pools and of IAM service accounts; `example` is one of them. */
export const cloudDomain = (example: string): Grammar =>
  matching(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'is not a domain', 'a domain', example);
