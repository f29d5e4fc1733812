import { IMAGES } from '../../../facts/images';
import { at, isRecord, list, text } from '../../../manifest/manifest';
import { adaptersOf } from '../../../manifest/model-names';
import { type ModelServer, modelServerOf } from '../../../manifest/model-servers';
import { type ContainerView, records } from '../../../manifest/pods';
import { tpuContainers } from '../../../manifest/slices';
import { isUnder } from '../../../problems/grammar';
import { shown } from '../../../problems/shown';
import { defineRule } from '../../rule';
import { eachTpuPod } from '../each-pod';

/** Flags that name a file or folder with weights. */
const PATHS = [
  '--model',
  '--model-path',
  '--model-id',
  '--checkpoint_path',
  '--tokenizer_path',
  '--tokenizer',
] as const;

export const TPU418 = defineRule({
  code: 'TPU418',
  title: 'a model path is on a mounted volume',
  severities: ['warning'],
  kinds: ['pods'],
  check: eachTpuPod(function* (pod) {
    for (const one of tpuContainers(pod)) {
      const server = modelServerOf(one);
      if (!server) continue;
      const mounts = records(one.container, 'volumeMounts').flatMap(
        (mount) => text(mount, 'mountPath') ?? [],
      );
      for (const { what, path } of pathsOf(one, server)) {
        if (mounts.some((mount) => isUnder(path, mount.replace(/(?<=.)\/+$/, '')))) continue;
        const problem = besideProblem(path, mounts) ?? (isPublished(one) ? NOT_IN_IMAGE : undefined);
        if (problem)
          yield {
            object: pod.object,
            path: `${one.path}.args`,
            message: `${what} '${path}' of container '${one.name}' is not on a volume, ${problem.because}`,
            fix: problem.fix,
          };
      }
    }
  }),
});

/** The files and folders of a server that are paths of its container. */
const pathsOf = (
  one: ContainerView,
  server: ModelServer,
): readonly { readonly what: string; readonly path: string }[] =>
  [
    ...PATHS.map((what) => ({
      what,
      path: server.flag(what) ?? (what === '--model' ? server.served : undefined),
    })),
    ...adaptersOf(one).map(({ name, path }) => ({ what: `--lora-modules ${name}`, path })),
  ].flatMap(({ what, path }) =>
    path?.startsWith('/') === true && !path.includes('$') ? [{ what, path }] : [],
  );

interface PathProblem {
  readonly because: string;
  readonly fix: string;
}

/** A path in the image is legal, but unlikely if a volume is mounted in the same tree. */
function besideProblem(path: string, mounts: readonly string[]): PathProblem | undefined {
  const top = `/${path.split('/')[1] ?? ''}/`;
  const beside = mounts.filter((mount) => `${mount}/`.startsWith(top));
  if (beside.length === 0) return undefined;
  return {
    because: `but ${beside.map(shown).join(' and ')} ${beside.length > 1 ? 'are mounted' : 'is mounted'} in the same tree`,
    fix: `use a path under ${beside.map(shown).join(' or ')}, or mount the volume at a parent folder`,
  };
}

const NOT_IN_IMAGE: PathProblem = {
  because: 'and the published image of vLLM contains no models',
  fix: 'mount a volume with the files, or use a Hugging Face id',
};

const [PUBLISHED] = IMAGES.vllm.split(':');
const SHELL = /(^|\/)(ba|da|z)?sh$/;

/** Whether a container runs the published image, without a shell or hook that could download the files first. */
const isPublished = ({ container }: ContainerView): boolean =>
  text(container, 'image')
    ?.replace(/^docker\.io\//, '')
    .replace(/[:@].*$/, '') === PUBLISHED &&
  !SHELL.test(String([...list(container, 'command'), ...list(container, 'args')][0])) &&
  !isRecord(at(container, 'lifecycle', 'postStart'));
