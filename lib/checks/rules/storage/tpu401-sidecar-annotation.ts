import { ANNOTATION, annotationPath, asksForSidecar, fuseVolumes } from './common';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { shown } from '../../../problems/shown';

export const TPU401 = defineRule({
  code: 'TPU401',
  title: 'a pod with a Cloud Storage FUSE volume has the annotation that adds the sidecar',
  severities: ['error'],
  kinds: ['pods', 'PersistentVolume', 'PersistentVolumeClaim'],
  check: eachPod(function* (pod, set) {
    const [volume] = fuseVolumes(set, pod);
    const annotation = pod.annotations[ANNOTATION];
    // TPU711 reports a value that is not a string
    if (!volume || asksForSidecar(pod) || (annotation !== undefined && typeof annotation !== 'string'))
      return;
    yield {
      object: pod.object,
      path: annotationPath(pod, ANNOTATION),
      message: `volume '${volume.name}' is Cloud Storage FUSE, but annotation '${ANNOTATION}' is ${annotation === undefined ? 'missing' : shown(annotation)}, so the pod gets no sidecar and the mount fails`,
      fix: `add the annotation ${ANNOTATION}: "true" to the pod template`,
    };
  }),
});
