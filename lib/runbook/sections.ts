import { type OperationPhase, type RunbookStep } from '../operations/operations';
import { buckets, metricsAdapter, secrets } from './access-steps';
import { apply, cleanUp, resize, troubleshooting } from './apply-steps';
import { cluster, controllers, nodePools, project } from './cluster-steps';
import { type Contents } from './contents';
import { imageBuild } from './image-steps';
import { loadBalancer } from './load-balancer-steps';
import { uniqueBy } from './needs';

/** A part of a runbook: steps that follow each other. */
export interface RunbookSection {
  /** Heading of the section. */
  readonly title: string;
  /** The steps, in order. */
  readonly steps: readonly RunbookStep[];
}

/** Returns the sections of a runbook that have steps, in order. */
export const sectionsOf = (contents: Contents): readonly RunbookSection[] =>
  [
    { title: 'Project', steps: project(contents) },
    { title: 'Cluster', steps: cluster(contents) },
    { title: 'Load balancer', steps: once(loadBalancer(contents)) },
    { title: 'Node pools', steps: nodePools(contents) },
    { title: 'Controllers', steps: controllers(contents) },
    { title: 'Namespace and Secrets', steps: [...secrets(contents), ...furtherSecrets(contents)] },
    { title: 'Buckets and access', steps: buckets(contents) },
    { title: 'Metrics for autoscaling', steps: metricsAdapter(contents) },
    { title: 'Images', steps: (contents.options.builds ?? []).flatMap((build) => imageBuild(build)) },
    { title: 'Apply', steps: apply(contents) },
    { title: 'Verify', steps: stepsOf(contents, 'verify') },
    { title: 'Call', steps: stepsOf(contents, 'call') },
    { title: 'Load', steps: stepsOf(contents, 'load') },
    { title: 'Scale', steps: [...stepsOf(contents, 'scale'), ...resize(contents)] },
    { title: 'Change', steps: stepsOf(contents, 'change') },
    { title: 'Troubleshooting', steps: [...troubleshooting(contents), ...stepsOf(contents, 'troubleshoot')] },
    { title: 'Clean up', steps: [...stepsOf(contents, 'clean-up'), ...cleanUp(contents)] },
  ].filter(({ steps }) => steps.length > 0);

const once = (steps: readonly RunbookStep[]): readonly RunbookStep[] =>
  uniqueBy(steps, ({ text, commands }) => [text, ...commands].join('\n'));

const furtherSecrets = ({ operations }: Contents): readonly RunbookStep[] =>
  once(operations.flatMap((one) => one.secrets ?? []));

/** Returns the steps of the chart's constructs for a phase. A step that several constructs have appears once. */
const stepsOf = (contents: Contents, phase: OperationPhase): readonly RunbookStep[] =>
  once(contents.operations.flatMap(({ steps = {} }) => steps[phase] ?? []));
