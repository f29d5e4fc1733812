import { type RunbookStep } from '../operations/operations';

/** The output of a command that succeeds, and its duration, by the start of the command. The first match wins. */
const EXPECTED: readonly (readonly [command: RegExp, expected: string])[] = [
  [/^gcloud config set/, '`Updated property [core/project].`, within seconds'],
  [/^gcloud services enable/, '`finished successfully`, within two minutes'],
  [/^export \w+=|^address=|^kill /, 'no output, within seconds'],
  [/^cat > load\.sh/, 'a process ID, within seconds; the requests continue until you stop them'],
  [
    /^gcloud projects add-iam-policy-binding/,
    '`Updated IAM policy for project`, within seconds; a role works after about two minutes',
  ],
  [/^gcloud projects remove-iam-policy-binding/, '`Updated IAM policy for project`, within seconds'],
  [/^gcloud container clusters create/, 'a table with status `RUNNING`, after five to fifteen minutes'],
  [/^gcloud container clusters get-credentials/, '`kubeconfig entry generated`, within seconds'],
  [/^gcloud container clusters resize/, 'a confirmation prompt, and `done` after some minutes'],
  [/^gcloud container clusters delete/, 'a confirmation prompt, and `Deleted` after about ten minutes'],
  [/^gcloud container clusters update/, '`done`, after some minutes'],
  [
    /^gcloud container node-pools create/,
    'a table with the node pool, after about ten minutes if there is capacity',
  ],
  [/^gcloud version/, 'the versions of the components, within seconds'],
  [/^gcloud compute networks subnets create/, '`Created` and the address of the subnet, within a minute'],
  [
    /^gcloud compute resource-policies (create|delete)/,
    '`Created` or `Deleted` and its address, within a minute',
  ],
  [/^gcloud container node-pools delete/, 'a confirmation prompt, and `Deleted` after some minutes'],
  [/^gcloud storage buckets create/, '`Creating gs://…`, within seconds'],
  [/^gcloud storage buckets (add|remove)-iam-policy-binding/, 'the new policy, within seconds'],
  [/^gcloud storage rm/, '`Removing` and the name of each object, within minutes'],
  [/^gcloud iam service-accounts create/, '`Created service account`, within seconds'],
  [
    /^gcloud iam service-accounts add-iam-policy-binding/,
    '`Updated IAM policy for serviceAccount`, within seconds',
  ],
  [
    /^gcloud iam service-accounts delete/,
    'a confirmation prompt, and `deleted service account`, within seconds',
  ],
  [/^gcloud artifacts repositories create/, '`Created repository`, within a minute'],
  [
    /^gcloud artifacts repositories delete/,
    'a confirmation prompt, and `Deleted repository`, within a minute',
  ],
  [/^docker build|^git clone/, 'the built image, after ten minutes to an hour'],
  [/^docker push/, 'the digest of the image, after some minutes'],
  [/^kubectl create/, '`created`, within seconds'],
  [/^kubectl apply/, '`created`, `configured` or `serverside-applied` for each object, within a minute'],
  [/^kubectl delete/, '`deleted` for each object, within some minutes'],
  [/^kubectl rollout status/, '`successfully rolled out`, within a few minutes'],
  [/^kubectl wait job/, '`condition met`, when the work is done'],
  [/^kubectl wait/, '`condition met`, within a few minutes'],
  [/^kubectl port-forward/, '`Forwarding from 127.0.0.1:…`; it runs until you stop it'],
  [/^kubectl logs/, 'the log; with `-f` it runs until you stop it'],
  [/^kubectl scale/, '`scaled`, within seconds'],
  [/^kubectl patch/, '`patched`, within seconds'],
  [/^kubectl explain/, 'the description of the field, within seconds'],
  [/^kubectl (get|events).* (-w|--watch)/, 'a list, within seconds; it changes until you stop the command'],
  [/^kubectl (describe|get|events)/, 'a list, within seconds'],
  [/^ray job submit/, 'the log of the job and `succeeded`, within a few minutes'],
  [/^curl/, 'JSON with the answer, within seconds'],
];

/** Returns the output of a step that succeeds, and its duration; undefined for a step without commands. */
export function expectedOf({ commands, expect }: RunbookStep): string | undefined {
  if (expect !== undefined) return expect;
  const last = String(commands.at(-1) ?? '');
  return EXPECTED.find(([command]) => command.test(last))?.[1];
}
