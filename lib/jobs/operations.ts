import { type Capacity } from '../pod/capacity';
import { type Kubectl, type Operations } from '../operations/operations';
import { type FlexStartJob, type FlexStartJobProps } from './flex-start-job';

/** How long flex-start nodes run where nothing is said, in seconds. */
const SEVEN_DAYS = 604_800;

/** What a flex-start Job needs, and what is done with it. */
export const flexStartOperations =
  (
    flexStart: FlexStartJob,
    { slice, image, maxRunDurationSeconds }: FlexStartJobProps,
    capacity: Capacity | undefined,
  ) =>
  (kubectl: Kubectl): Operations => {
    const { name } = flexStart.job;
    return {
      slices: [{ slice, capacity, replicas: 1 }],
      images: [image],
      steps: {
        verify: [
          {
            text: `See where the pods of \`${name}\` are; they are Pending until there is capacity, which can be long.`,
            commands: [kubectl('get', 'pods', '-l', `job-name=${name}`, '-o', 'wide')],
          },
          {
            text: 'See what happened to it.',
            commands: [kubectl('events', `--for=job/${name}`)],
          },
          {
            text: 'Follow it, once its pods run.',
            commands: [
              kubectl(
                'logs',
                '-l',
                `job-name=${name}`,
                '-f',
                '--prefix',
                // kubectl follows five pods and refuses more otherwise
                ...(slice.hosts > 5 ? [`--max-log-requests=${String(slice.hosts)}`] : []),
              ),
            ],
          },
          {
            text: 'Wait until it is complete.',
            commands: [
              kubectl(
                'wait',
                `job/${name}`,
                '--for=condition=complete',
                `--timeout=${String(maxRunDurationSeconds ?? SEVEN_DAYS)}s`,
              ),
            ],
          },
        ],
        scale: [
          {
            text: 'A Job cannot be changed: delete it, or give it another name, before applying another slice.',
            commands: [kubectl('delete', 'job', name)],
          },
        ],
      },
    };
  };
