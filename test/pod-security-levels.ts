import { type PodSecurityLevel } from '../lib/pod/security';

/** The Pod Security level of a system's pods. */
export interface PodSecurityRow {
  /** Name of the pods, in Markdown. */
  readonly pods: string;
  /** The strictest level that admits the rendered pods. */
  readonly level: PodSecurityLevel;
  /** Reason why a stricter level does not admit them. */
  readonly reason: string;
  /** Another level, and the props that set it. @default - none */
  readonly onRequest?: { readonly level: PodSecurityLevel; readonly props: string };
}

const NOT_SHOWN = 'no source shows that the image runs without root and capabilities';

/**
 * The strictest level of the Pod Security Standards that admits the pods of each system. It is not known whether the images run there.
 *
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/
 */
export const POD_SECURITY_LEVELS: readonly PodSecurityRow[] = [
  {
    pods: '`TpuServer`',
    level: 'baseline',
    reason: "the image is the user's own",
    onRequest: { level: 'restricted', props: "`podSecurityLevel: 'restricted'`" },
  },
  {
    pods: '`VllmServer`',
    level: 'baseline',
    reason: NOT_SHOWN,
    onRequest: { level: 'restricted', props: "`podSecurityLevel: 'restricted'`" },
  },
  {
    pods: '`JetStreamServer`',
    level: 'baseline',
    reason: NOT_SHOWN,
    onRequest: { level: 'restricted', props: "`podSecurityLevel: 'restricted'`" },
  },
  { pods: '`JetStreamCheckpointConverter`', level: 'baseline', reason: NOT_SHOWN },
  { pods: '`SaxCell` admin server', level: 'baseline', reason: NOT_SHOWN },
  { pods: '`SaxCell` HTTP server', level: 'baseline', reason: NOT_SHOWN },
  {
    pods: '`SaxCell` model servers',
    level: 'privileged',
    reason: 'no source shows that they open their chips, or find each other, without privileges',
    onRequest: { level: 'baseline', props: "`podSecurityLevel: 'baseline'`, `hostNetwork: false`" },
  },
  { pods: '`TpuRayService`', level: 'baseline', reason: NOT_SHOWN },
  {
    pods: '`FlexStartJob`',
    level: 'baseline',
    reason: "the image is the user's own",
    onRequest: { level: 'privileged', props: "`podSecurityLevel: 'privileged'`" },
  },
];
