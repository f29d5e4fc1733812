// What Google Cloud accepts, one sentence a rule: each answers what is wrong with a value, or undefined.
import { dnsLabel, quoted } from './validators';

/** Whether a text stands for a value that the reader of a command puts in: `PROJECT_ID`. */
export const isPlaceholder = (value: string): boolean => /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(value);

/** `rule`, but that a placeholder is right as well. */
export const orPlaceholder = (
  rule: (prop: string, value: string) => string | undefined,
): ((prop: string, value: string) => string | undefined) => {
  return (prop, value) => (isPlaceholder(value) ? undefined : rule(prop, value));
};

/** Longest name of a cluster, and of a node pool. */
export const GKE_NAME_LENGTH = 40;

/** Names of clusters. */
export const clusterName = (prop: string, value: string): string | undefined =>
  dnsLabel(prop, value, GKE_NAME_LENGTH);

/**
 * IDs of projects.
 *
 * @see https://cloud.google.com/resource-manager/docs/creating-managing-projects
 */
export const projectId = (prop: string, value: string): string | undefined =>
  /^([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/.test(value)
    ? undefined
    : `${prop} ${quoted(value)} is not a project ID, expected 6 to 30 lower-case letters, digits and '-', first a letter`;

/** Numbers of projects. */
export const projectNumber = (prop: string, value: string, projectId: string): string | undefined =>
  /^[0-9]{6,19}$/.test(value)
    ? undefined
    : `${prop} ${quoted(value)} is not a project number, expected digits alone: gcloud projects describe ${projectId} --format='value(projectNumber)'`;

/** Names of IAM service accounts, without the part after `@`. */
export const iamAccount = (prop: string, value: string): string | undefined =>
  /^[a-z][a-z0-9-]{4,28}[a-z0-9]$/.test(value)
    ? undefined
    : `${prop} ${quoted(value)} is not the name of an IAM service account, expected 6 to 30 lower-case letters, digits and '-' without the part after '@'`;

/** IAM roles, predefined or of a project or an organization. */
export const iamRole = (prop: string, value: string): string | undefined =>
  /^((projects\/[a-z0-9.:-]+|organizations\/\d+)\/)?roles\/[A-Za-z][A-Za-z0-9_.]*$/.test(value)
    ? undefined
    : `${prop} ${quoted(value)} is not a role, expected one like 'roles/storage.objectViewer'`;

const REGION = /^[a-z]+(-[a-z]+)+\d+$/;
const ZONE = /^([a-z]+(?:-[a-z]+)+\d+)-[a-z][a-z0-9]*$/;

/** Whether a text has the form of a region: `us-west4`. */
export const isRegion = (value: string): boolean => REGION.test(value);

/** The region of a zone or of a region; undefined for what is neither. */
export const regionOf = (location: string): string | undefined =>
  isRegion(location) ? location : ZONE.exec(location)?.[1];

/** What a misspelt zone or region was meant to be, as the end of a sentence: `us-east5-b` of `us-east-5b`. */
function nearestPlace(value: string): string {
  const [, area = '', number = '', letter = ''] =
    /^([a-z]+(?:-[a-z]+)+)-?(\d+)-?([a-z]?)$/.exec(value.toLowerCase().replace(/[\s_]+/g, '-')) ?? [];
  return area === '' ? '' : `; nearest: '${area}${number}${letter && `-${letter}`}'`;
}

/** Zones and regions. */
export const location = (prop: string, value: string): string | undefined =>
  regionOf(value) === undefined
    ? `${prop} ${quoted(value)} is neither a zone nor a region, expected one like 'us-west4-a' or 'us-west4'${nearestPlace(value)}`
    : undefined;

/** Zones. */
export const zone = (prop: string, value: string): string | undefined => {
  if (ZONE.test(value)) return undefined;
  return isRegion(value)
    ? `${prop} '${value}' is a region, expected one of its zones, like '${value}-a'`
    : `${prop} ${quoted(value)} is not a zone, expected one like 'us-west4-a'${nearestPlace(value)}`;
};

/** Domain of workload identity pools, but in sovereign clouds. */
export const WORKLOAD_POOL_DOMAIN = 'svc.id.goog';

/** Domains of workload identity pools and of IAM service accounts. */
export const cloudDomain = (prop: string, value: string, example: string): string | undefined =>
  /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(value)
    ? undefined
    : `${prop} ${quoted(value)} is not a domain, expected one like '${example}'`;
