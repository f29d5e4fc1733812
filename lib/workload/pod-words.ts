// Converts the shared props of a construct into the layers of its pods.
import { type EnvVar } from 'cdk8s-plus-29/lib/imports/k8s';
import { type ContainerFields, type PodFragment, type SidecarContainer } from '../pod/fragment';
import { sharedMemory } from '../pod/shared-memory';
import { withContainerDefaults } from '../pod/template';
import { nameOf } from '../problems/schema';
import { type ImageProps, type PodProps, type ProbeProps, type ProbesProps } from './vocabulary';

/** Returns environment variables as a list. Keeps `null`, which removes a default. */
export const variables = (env: Readonly<Record<string, string | null>>): NonNullable<PodFragment['env']> =>
  Object.entries(env).map(([name, value]) => ({ name, value }) as EnvVar);

/** The props that set fields of a pod and its main container. */
export type PodWords = Partial<PodProps & ImageProps> & { readonly probes?: ProbesProps };

/** Returns the fragments of the values from the user: first props, then fragments. */
export function givenFragments(props: PodWords): readonly PodFragment[] {
  const { labels, annotations, resources, image, command, args, env, priorityClassName } = props;
  return [
    {
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(resources && { resources }),
      ...(env && { env: variables(env) }),
      container: {
        ...(image !== undefined && { image }),
        ...(command && { command: [...command] }),
        ...(args && { args: [...args] }),
        ...(props.probes && probeFields(props.probes)),
      },
      pod: {
        ...(props.serviceAccountName !== undefined && {
          serviceAccountName: nameOf(props.serviceAccountName),
        }),
        ...(priorityClassName !== undefined && { priorityClassName }),
        ...(props.terminationGracePeriodSeconds !== undefined && {
          terminationGracePeriodSeconds: props.terminationGracePeriodSeconds,
        }),
        ...(props.imagePullSecrets && {
          imagePullSecrets: props.imagePullSecrets.map((secret) => ({ name: nameOf(secret) })),
        }),
      },
    },
    ...(props.sharedMemory === undefined ? [] : [sharedMemory(props.sharedMemory)]),
    ...(props.fragments ?? []),
  ];
}

/** Returns probes as fields of a container; `false` removes the default. */
export function probeFields({
  startup,
  readiness,
  liveness,
}: ProbesProps): NonNullable<PodFragment['container']> {
  const field = (
    probe: ProbeProps | false | undefined,
  ): ContainerFields['startupProbe'] | null | undefined =>
    probe === false ? null : (probe as ContainerFields['startupProbe']);
  return {
    ...(startup !== undefined && { startupProbe: field(startup) }),
    ...(readiness !== undefined && { readinessProbe: field(readiness) }),
    ...(liveness !== undefined && { livenessProbe: field(liveness) }),
  };
}

/** Returns the user's sidecars with the defaults of the construct, like those of its Pod Security level. */
export const givenSidecars = (
  { sidecars = [] }: Pick<PodProps, 'sidecars'>,
  defaults: ContainerFields,
): readonly SidecarContainer[] => sidecars.map((sidecar) => withContainerDefaults(sidecar, defaults));

/** Returns labels and annotations of a construct's objects. The user's replace those of the construct, `own`. */
export const objectMetadata = (
  { labels, annotations }: Pick<PodProps, 'labels' | 'annotations'>,
  own: Readonly<Record<string, string>>,
): { readonly labels: Record<string, string>; readonly annotations?: Record<string, string> } => ({
  labels: { ...own, ...labels },
  ...(annotations && { annotations: { ...annotations } }),
});
