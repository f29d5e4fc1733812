import path from 'node:path';
import { list, text } from '../../../manifest/manifest';
import { patchFiles } from '../../../manifest/read';
import { defineRule } from '../../rule';

/** Fields by which Kustomize changes the objects that it reads. */
const CHANGES = [
  'namePrefix',
  'nameSuffix',
  'namespace',
  'images',
  'replicas',
  'labels',
  'commonLabels',
  'components',
  'helmCharts',
  'patches',
] as const;

export const TPU906 = defineRule({
  code: 'TPU906',
  title: 'what Kustomize builds is checked as it is built',
  severities: ['note'],
  kinds: ['Kustomization', 'any'],
  check: function* ({ objects }) {
    for (const object of objects) {
      const { manifest, file } = object;
      const isOne =
        object.kind === 'Kustomization' ||
        (object.kind === '' && file !== undefined && /^kustomization\.ya?ml$/.test(path.basename(file)));
      if (!isOne || text(manifest, 'apiVersion')?.startsWith('kustomize.toolkit') === true) continue;
      const skipped = patchFiles(manifest).length;
      const changes = CHANGES.filter((key) => key in manifest);
      if (skipped === 0 && changes.length === 0 && list(manifest, 'resources').length > 0) continue;
      yield {
        object,
        path: changes[0] ?? 'resources',
        message: `the objects are checked as they are written, without what Kustomize changes${skipped > 0 ? ', and its patches are not read' : ''}`,
        fix: `run kubectl kustomize ${file === undefined ? 'FOLDER' : path.dirname(file)} | npx cdk8s-tpu-serving check -`,
      };
    }
  },
});
