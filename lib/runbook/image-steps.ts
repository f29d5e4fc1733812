import { type RunbookStep } from '../operations/operations';
import { command } from './commands';
import { ARTIFACT, type ImageBuild } from './options';

/** Steps that build an image and push it. */
export function imageBuild({ image, repository, commit, dockerfile }: ImageBuild): readonly RunbookStep[] {
  const [, location = '', , artifacts = ''] = ARTIFACT.exec(image) ?? [];
  const folder =
    repository
      .replace(/\/+$|\.git$/g, '')
      .split('/')
      .pop() ?? '';
  return [
    {
      text: `Build \`${image}\`.`,
      commands: [
        command('git', 'clone', repository),
        command('git', '-C', folder, 'reset', '--hard', commit),
        command('docker', 'build', '-f', `${folder}/${dockerfile ?? 'Dockerfile'}`, folder, '-t', image),
      ],
    },
    {
      text: 'Push the image to Artifact Registry.',
      commands: [
        command(
          'gcloud',
          'artifacts',
          'repositories',
          'create',
          artifacts,
          '--repository-format=docker',
          `--location=${location}`,
        ),
        command('gcloud', 'auth', 'configure-docker', `${location}-docker.pkg.dev`),
        command('docker', 'push', image),
      ],
    },
  ];
}
