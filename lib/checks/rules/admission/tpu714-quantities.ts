import { TPU_RESOURCE } from '../../../facts/labels';
import { at, type Json, type ManifestObject, record, text } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { quantityOf } from '../../../problems/grammar';
import { shown } from '../../../problems/shown';
import { records } from '../../../manifest/pods';
import { specPath } from '../../../manifest/slices';
import { type ManifestSet } from '../../../manifest/set';
import { type Problem } from './common';

const QUANTITY = /^([+-]?)([0-9]+\.?[0-9]*|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$/;

export const TPU714 = defineRule({
  code: 'TPU714',
  title: 'quantities are valid',
  severities: ['error'],
  kinds: ['pods', 'PersistentVolumeClaim'],
  local: true,
  check: function* (set) {
    for (const { object, path, resource, value } of quantitiesOf(set)) {
      const problem = quantityProblem(resource, value);
      if (problem) yield { object, path, ...problem };
    }
  },
});

function* quantitiesOf({ objects, pods }: ManifestSet): Generator<{
  readonly object: ManifestObject;
  readonly path: string;
  readonly resource: string;
  readonly value: unknown;
}> {
  const amounts = function* (
    object: ManifestObject,
    resources: Json,
    path: string,
  ): ReturnType<typeof quantitiesOf> {
    for (const key of ['requests', 'limits'] as const)
      for (const [resource, value] of Object.entries(record(resources, key)))
        // TPU103 to TPU105 check chips
        if (resource !== TPU_RESOURCE) yield { object, path: `${path}.${key}[${resource}]`, resource, value };
  };
  const claim = (object: ManifestObject, claimed: Json, path: string): ReturnType<typeof quantitiesOf> =>
    amounts(object, record(claimed, 'spec', 'resources'), `${path}spec.resources`);
  for (const pod of pods) {
    for (const { container, path } of pod.containers)
      yield* amounts(pod.object, record(container, 'resources'), `${path}.resources`);
    for (const [index, volume] of pod.volumes.entries()) {
      const path = `${specPath(pod)}.volumes[${text(volume, 'name') ?? String(index)}]`;
      const value = at(volume, 'emptyDir', 'sizeLimit');
      yield { object: pod.object, path: `${path}.emptyDir.sizeLimit`, resource: 'memory', value };
      yield* claim(
        pod.object,
        record(volume, 'ephemeral', 'volumeClaimTemplate'),
        `${path}.ephemeral.volumeClaimTemplate.`,
      );
    }
  }
  for (const object of objects) {
    if (object.kind === 'PersistentVolumeClaim') yield* claim(object, object.manifest, '');
    if (object.kind === 'StatefulSet')
      for (const [index, template] of records(object.manifest, 'spec', 'volumeClaimTemplates').entries())
        yield* claim(object, template, `spec.volumeClaimTemplates[${String(index)}].`);
  }
}

const BYTES = new Set(['memory', 'ephemeral-storage', 'storage']);

/** Why a quantity is not valid; undefined if it is. */
function quantityProblem(resource: string, value: unknown): Problem | undefined {
  if (value === undefined || value === null) return undefined;
  const written = typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  if (written === undefined || !QUANTITY.test(written))
    return {
      message: `${resource} ${shown(value)} is not a quantity, which the API server refuses`,
      fix: nearestQuantity(written ?? ''),
    };
  const amount = amountOf(written);
  if (amount < 0)
    return {
      message: `${resource} '${written}' is negative, which the API server refuses`,
      fix: 'use 0 or more',
    };
  if (Number.isInteger(amount)) return undefined;
  if (BYTES.has(resource))
    return {
      message: `${resource} '${written}' is a fraction of a byte`,
      fix: `use '${written.endsWith('m') ? `${written}i`.replace(/mi$/, 'Mi') : String(Math.ceil(amount))}'`,
    };
  return resource.includes('/') || resource.startsWith('hugepages-')
    ? {
        message: `${resource} '${written}' is not a whole number, which the API server refuses`,
        fix: `use '${String(Math.ceil(amount))}'`,
      }
    : undefined;
}

function amountOf(written: string): number {
  const [, sign, digits = '', suffix = ''] = QUANTITY.exec(written) ?? [];
  const factor = /^[eE]/.test(suffix) ? Number(`1${suffix}`) : (SMALL[suffix] ?? quantityOf(`1${suffix}`));
  return Number(digits) * factor * (sign === '-' ? -1 : 1);
}

const SMALL: Readonly<Record<string, number>> = { n: 1e-9, u: 1e-6 };

function nearestQuantity(written: string): string {
  const [, digits, unit = '', rest = ''] =
    /^\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgtpe]?)(i?b?)\s*$/i.exec(written) ?? [];
  if (digits === undefined) return "use a number with a suffix, like '500m', '20Gi' or '8G'";
  if (/^i/i.test(rest)) return `use '${digits}${unit.toUpperCase()}i'`;
  return `use '${digits}${/k/i.test(unit) || rest === '' ? unit.toLowerCase() : unit.toUpperCase()}'`;
}
