import { Chart } from 'cdk8s';
import fc from '../../fast-check';
import { App } from '../../../lib';
import { CONSTRUCTS, names } from '../../checks/generators';
import { type KubernetesObject } from './api';

// The only place that knows the generators of test/checks.

/** A random legal chart. */
export interface RandomChart {
  /** The construct and its props. */
  readonly what: string;
  readonly objects: readonly KubernetesObject[];
}

/** Names of the constructs. */
export const CONSTRUCT_NAMES: readonly string[] = Object.keys(CONSTRUCTS);

/** Random legal charts of a construct; the same for the same seed. */
export function randomCharts(construct: string, count: number, seed: number): readonly RandomChart[] {
  const legal = CONSTRUCTS[construct];
  if (!legal) throw new Error(`no construct ${construct}`);
  return fc.sample(fc.tuple(legal, names), { numRuns: count, seed }).map(([{ what, add }, name]) => {
    const chart = new Chart(new App(), 'chart');
    add(chart, name);
    return { what: `${what} as ${name}`, objects: chart.toJson() as KubernetesObject[] };
  });
}
