// The leaves of PodSpec and Container, from the types of cdk8s-plus, each with a legal value.
import fs from 'node:fs';
import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import ts from 'typescript';

/** A leaf: the names from the type down to it, `[]` for the items of a list, and an object that has it with a legal value. */
export interface Leaf {
  readonly path: readonly string[];
  readonly object: Readonly<Record<string, unknown>>;
}

interface Field {
  readonly name: string;
  readonly optional: boolean;
  readonly type: ts.TypeNode;
}

/** The interfaces of cdk8s-plus by name. */
function interfaces(): ReadonlyMap<string, readonly Field[]> {
  const file = require.resolve('cdk8s-plus-29/lib/imports/k8s.d.ts');
  const source = ts.createSourceFile(file, fs.readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  return new Map(
    source.statements.filter(ts.isInterfaceDeclaration).map((one) => [
      one.name.text,
      one.members.filter(ts.isPropertySignature).map((member) => ({
        name: member.name.getText(source),
        optional: member.questionToken !== undefined,
        type: member.type ?? ts.factory.createKeywordTypeNode(ts.SyntaxKind.UnknownKeyword),
      })),
    ]),
  );
}

const INTERFACES = interfaces();

/** Legal values of fields whose type does not tell enough, by `Type.field` or by `field`. */
const VALUES: Readonly<Record<string, unknown>> = {
  apiVersion: 'v1',
  fieldPath: 'metadata.name',
  hostname: 'host',
  subdomain: 'sub',
  hostnames: 'a.example.com',
  ip: '10.0.0.1',
  'HTTPHeader.name': 'X-Probe',
  matchLabelKeys: 'pod-template-hash',
  mountPath: '/mnt',
  devicePath: '/dev/xvda',
  'VolumeMount.name': 'scratch',
  'VolumeDevice.name': 'scratch',
  'ContainerPort.name': 'extra',
  'ContainerPort.containerPort': 9999,
  'ContainerPort.protocol': 'UDP',
  'PodSpec.serviceAccountName': 'account',
  'EnvVar.name': 'SCRATCH',
  'Volume.name': 'scratch',
  'Container.image': 'other/image:v1',
  allowPrivilegeEscalation: true,
  whenUnsatisfiable: 'ScheduleAnyway',
  'TopologySpreadConstraint.topologyKey': 'topology.kubernetes.io/zone',
};

/** Fields of a type that an object needs in addition to any others: a probe without one of them checks nothing. */
const BESIDE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  Probe: { tcpSocket: { port: k8s.IntOrString.fromNumber(9999) } },
};
/** Fields that take the place of those. */
const INSTEAD: readonly string[] = ['exec', 'grpc', 'httpGet', 'tcpSocket'];

const typeName = (type: ts.TypeNode): string =>
  ts.isTypeReferenceNode(type) ? type.typeName.getText() : type.getText();

/** A legal value of a type, with the fields that it requires. */
function sample(type: ts.TypeNode, owner: string, name: string): unknown {
  for (const key of [`${owner}.${name}`, name]) if (VALUES[key] !== undefined) return VALUES[key];
  if (ts.isArrayTypeNode(type)) return [sample(type.elementType, owner, name)];
  if (ts.isTypeLiteralNode(type)) {
    const [signature] = type.members.filter(ts.isIndexSignatureDeclaration);
    return { key: signature ? sample(signature.type, owner, '') : 'value' };
  }
  const known: Readonly<Record<string, unknown>> = {
    string: 'text',
    number: 7,
    boolean: true,
    any: { key: 'value' },
    Date: new Date('2024-01-01T00:00:00.000Z'),
    Quantity: k8s.Quantity.fromString('1Gi'),
    IntOrString: k8s.IntOrString.fromNumber(9999),
  };
  const text = typeName(type);
  return text in known ? known[text] : required(text);
}

/** An object of a type with the fields that it requires. */
const required = (type: string): Record<string, unknown> =>
  Object.fromEntries(
    (INTERFACES.get(type) ?? [])
      .filter(({ optional }) => !optional)
      .map(({ name, type: inner }) => [name, sample(inner, type, name)]),
  );

/** The leaves of a type, except those for whose paths `skip` holds. */
export function leavesOf(
  type: string,
  skip: (path: readonly string[]) => boolean,
  above: readonly string[] = [],
): readonly Leaf[] {
  return (INTERFACES.get(type) ?? []).flatMap((field) => {
    const path = [...above, field.name];
    if (skip(path)) return [];
    return ofField(field.type, type, field.name, path, skip).map((leaf) => ({
      path: leaf.path,
      object: {
        ...required(type),
        ...(INSTEAD.includes(field.name) ? {} : BESIDE[type]),
        [field.name]: leaf.value,
      },
    }));
  });
}

interface ValueLeaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

function ofField(
  type: ts.TypeNode,
  owner: string,
  name: string,
  path: readonly string[],
  skip: (path: readonly string[]) => boolean,
): readonly ValueLeaf[] {
  if (ts.isArrayTypeNode(type))
    return ofField(type.elementType, owner, name, [...path, '[]'], skip).map((leaf) => ({
      ...leaf,
      value: [leaf.value],
    }));
  if (INTERFACES.has(typeName(type)))
    return leavesOf(typeName(type), skip, path).map((leaf) => ({ path: leaf.path, value: leaf.object }));
  return [{ path, value: sample(type, owner, name) }];
}
