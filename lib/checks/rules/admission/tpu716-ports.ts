import { defineRule } from '../../rule';
import { isSet, type Problem } from './common';
import { ofGroup } from '../../../manifest/selection';
import { shown } from '../../../problems/shown';
import { records } from '../../../manifest/pods';
import { type Json, type ManifestObject, text } from '../../../manifest/manifest';
import { type ManifestSet } from '../../../manifest/set';

const PORT_NAME = /^(?!.*--)(?=.*[a-z])[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$/;

export const TPU716 = defineRule({
  code: 'TPU716',
  title: 'ports have valid names and numbers',
  severities: ['error'],
  kinds: ['pods', 'Service'],
  local: true,
  check: function* (set) {
    for (const { object, path, key, value } of portsOf(set)) {
      const problem = portProblem(key, value);
      if (problem) yield { object, path: `${path}.${key}`, ...problem };
    }
  },
});

function* portsOf(set: ManifestSet): Generator<{
  readonly object: ManifestObject;
  readonly path: string;
  readonly key: 'name' | 'containerPort' | 'port' | 'targetPort';
  readonly value: unknown;
}> {
  for (const { object, containers } of set.pods)
    for (const { container, path } of containers)
      for (const [index, port] of records(container, 'ports').entries())
        for (const key of ['name', 'containerPort'] as const)
          yield { object, path: `${path}.ports[${nameOr(port, index)}]`, key, value: port[key] };
  for (const object of ofGroup(set, 'Service', ''))
    for (const [index, port] of records(object.manifest, 'spec', 'ports').entries())
      for (const key of ['port', 'targetPort'] as const)
        yield { object, path: `spec.ports[${nameOr(port, index)}]`, key, value: port[key] };
}

const nameOr = (item: Json, index: number): string => text(item, 'name') ?? String(index);

/** Why the name or number of a port is not valid; undefined if it is. */
function portProblem(key: string, value: unknown): Problem | undefined {
  // a targetPort of 0 means the port: https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/apis/core/v1/defaults.go
  if (!isSet(value) || (key === 'targetPort' && (value === 0 || value === ''))) return undefined;
  if (key === 'name' || (key === 'targetPort' && typeof value === 'string')) {
    if (typeof value === 'string' && PORT_NAME.test(value)) return undefined;
    if (typeof value === 'string' && /^[0-9]+$/.test(value) && key !== 'name')
      return {
        message: `${key} '${value}' is a string, which the API server refuses`,
        fix: `use the number ${value}`,
      };
    const words = typeof value === 'string' ? value : '';
    return {
      message: `port name ${shown(value)} is not valid: port names have at most 15 lowercase letters, digits and '-'`,
      fix: `use '${nearestPortName(words)}'`,
    };
  }
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65535) return undefined;
  return {
    message: `${key} ${shown(value)} is not a number from 1 to 65535, which the API server refuses`,
    fix:
      typeof value === 'string' && /^[0-9]+$/.test(value)
        ? `use the number ${value} without quotes`
        : 'use a number from 1 to 65535',
  };
}

const nearestPortName = (name: string): string => {
  const near = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 15)
    .replace(/-+$/, '');
  return PORT_NAME.test(near) ? near : 'http';
};
