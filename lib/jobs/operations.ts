import { FLEX_START_RUN_SECONDS } from '../facts/durations';
import { CONTROLLERS } from '../facts/controllers';
import { JOBSET_NAME_LABEL, LEGACY_JOB_NAME_LABEL } from '../facts/labels';
import { type Kubectl, type Operations, type RunbookStep } from '../operations/operations';
import { formOf, type TpuJobProps } from './props';

/** Types of capacity that can be unavailable for a long time. */
const SCARCE: readonly string[] = [
  'flex-start',
  'flex-start-queued',
  'spot',
  'compute-class',
  'dynamic-slice',
];

/** Returns the requirements and runbook steps of a Job on TPU slices. */
export const jobOperations =
  (job: { readonly name: string }, props: TpuJobProps) =>
  (kubectl: Kubectl): Operations => {
    const { slice, capacity, image, slices = 1, parallelism = 1 } = props;
    const kind = formOf(props) === 'JobSet' ? 'jobset' : 'job';
    return {
      slices: [{ slice, capacity, replicas: slices * parallelism }],
      ...(kind === 'jobset' && { controllers: [CONTROLLERS.jobSet] }),
      images: [image],
      steps: {
        verify: verify(kubectl, kind, job.name, props),
        change: [
          {
            text: `A ${kind === 'jobset' ? 'JobSet' : 'Job'} cannot be changed, so applying another image, slice or command fails with \`field is immutable\`. Delete \`${job.name}\` first, or give the new one another name.`,
            commands: [kubectl('delete', kind, job.name)],
          },
        ],
      },
    };
  };

function verify(
  kubectl: Kubectl,
  kind: 'job' | 'jobset',
  name: string,
  { slice, capacity, slices = 1, activeDeadlineSeconds, ...props }: TpuJobProps,
): readonly RunbookStep[] {
  const pods = `${kind === 'job' ? LEGACY_JOB_NAME_LABEL : JOBSET_NAME_LABEL}=${name}`;
  const most = slice.hosts * slices * (props.parallelism ?? 1);
  const seconds = capacity?.maxRunDurationSeconds ?? activeDeadlineSeconds ?? FLEX_START_RUN_SECONDS.max;
  const scarce = SCARCE.includes(capacity?.type ?? '')
    ? ' They are Pending until capacity is available, which can take a long time.'
    : '';
  return [
    {
      text: `Find the pods of \`${name}\`.${scarce}`,
      commands: [kubectl('get', 'pods', '-l', pods, '-o', 'wide')],
    },
    {
      text: `Read the events of \`${kind}/${name}\`.`,
      commands: [kubectl('events', `--for=${kind}/${name}`)],
    },
    {
      text: 'When the pods are running, follow their logs.',
      commands: [
        kubectl(
          'logs',
          '-l',
          pods,
          '-f',
          '--prefix',
          // By default, kubectl follows at most five pods and fails with more.
          ...(most > 5 ? [`--max-log-requests=${String(most)}`] : []),
        ),
      ],
    },
    {
      text: 'Wait until the Job is complete.',
      commands: [
        kubectl(
          'wait',
          `${kind}/${name}`,
          `--for=condition=${kind === 'job' ? 'complete' : 'completed'}`,
          `--timeout=${String(seconds)}s`,
        ),
      ],
    },
  ];
}
