/**
 * Role that can read and list the objects of a bucket. A server that streams its weights needs it.
 *
 * @see https://cloud.google.com/storage/docs/access-control/iam-roles
 */
export const BUCKET_READER = 'roles/storage.objectViewer';
