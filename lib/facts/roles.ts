/**
 * Role that reads and lists the objects of a bucket: what a server needs that streams its weights.
 *
 * @see https://cloud.google.com/storage/docs/access-control/iam-roles
 */
export const BUCKET_READER = 'roles/storage.objectViewer';
