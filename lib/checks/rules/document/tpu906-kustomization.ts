import path from 'node:path';
import { list, text } from '../../../manifest/manifest';
import { isKustomization, partsOf } from '../../../manifest/kustomize';
import { defineRule } from '../../rule';

/** Fields by which Kustomize changes the objects that it reads, or adds others. */
const CHANGES = [
  'namePrefix',
  'nameSuffix',
  'namespace',
  'images',
  'replicas',
  'labels',
  'commonLabels',
  'components',
  'configMapGenerator',
  'secretGenerator',
  'helmCharts',
  'helmChartInflationGenerator',
  'patches',
  'patchesStrategicMerge',
  'patchesJson6902',
] as const;

export const TPU906 = defineRule({
  code: 'TPU906',
  title: 'the checks read the objects that Kustomize builds',
  severities: ['note'],
  kinds: ['Kustomization', 'any'],
  check: function* ({ objects }) {
    for (const object of objects) {
      const { manifest, file, partOf } = object;
      if (partOf !== undefined) {
        yield {
          object,
          path: '',
          message: `the document is only a part of ${partOf}, and no kustomization names this file, so no rule checked it`,
          fix: 'add the file to the patches of a kustomization, and check the output of Kustomize, or remove it',
        };
        continue;
      }
      const isOne =
        ['Kustomization', 'Component'].includes(object.kind) ||
        (object.kind === '' && file !== undefined && isKustomization(file));
      if (!isOne || !/^(kustomize\.config|$)/.test(text(manifest, 'apiVersion') ?? '')) continue;
      const changes = CHANGES.filter((key) => key in manifest);
      if (partsOf(manifest).length === 0 && changes.length === 0 && list(manifest, 'resources').length > 0)
        continue;
      const folder = file === undefined ? 'FOLDER' : path.dirname(file);
      const patched = changes.some((key) => key.startsWith('patches'));
      yield {
        object,
        path: changes[0] ?? 'resources',
        message: `the checks read the files without the changes of Kustomize${patched ? ', and ignore fields that its patches change' : ''}`,
        fix: `run kubectl kustomize ${changes.some((key) => key.startsWith('helmChart')) ? '--enable-helm ' : ''}${folder} | npx cdk8s-tpu-serving check -`,
      };
    }
  },
});
