import { Chart } from 'cdk8s';
import { block, type Code, type CodeObject, Expression, Instance, quoted } from '../../lib/init/code';
import {
  App,
  InferenceGateway,
  type InferenceGatewayProps,
  InferencePool,
  type InferencePoolProps,
  JetStreamServer,
  type JetStreamServerProps,
  SaxCell,
  type SaxCellProps,
  TpuRayService,
  type TpuRayServiceProps,
  TpuServer,
  type TpuServerProps,
  VllmServer,
  type VllmServerProps,
} from '../../lib/index';

/** An expression of a program with the value that it has. */
export class Known extends Expression {
  constructor(
    code: string,
    readonly make: () => unknown,
  ) {
    super(code);
  }
}

/** An object of a class with the value that it has. */
export class KnownInstance extends Instance {
  constructor(
    name: string,
    props: CodeObject,
    readonly make: (props: unknown) => unknown,
  ) {
    super(name, props);
  }
}

/** A variable that an earlier statement has set. */
export class Reference extends Expression {}

/** One construct of a program. */
export interface Statement {
  readonly construct: keyof typeof CONSTRUCTS;
  readonly id: string;
  readonly props: CodeObject;
  /** Variable that holds the construct, if a later statement needs it. */
  readonly variable?: string;
}

/** A program that renders one chart. The same data becomes TypeScript and manifests. */
export interface Program {
  readonly chart: string;
  readonly namespace: string | undefined;
  readonly statements: readonly Statement[];
}

/** The constructs. Each reads its props with its schema, so props that are wrong become problems. */
const CONSTRUCTS = {
  VllmServer: (chart: Chart, id: string, props: unknown) =>
    new VllmServer(chart, id, props as VllmServerProps),
  JetStreamServer: (chart: Chart, id: string, props: unknown) =>
    new JetStreamServer(chart, id, props as JetStreamServerProps),
  SaxCell: (chart: Chart, id: string, props: unknown) => new SaxCell(chart, id, props as SaxCellProps),
  TpuRayService: (chart: Chart, id: string, props: unknown) =>
    new TpuRayService(chart, id, props as TpuRayServiceProps),
  TpuServer: (chart: Chart, id: string, props: unknown) => new TpuServer(chart, id, props as TpuServerProps),
  InferencePool: (chart: Chart, id: string, props: unknown) =>
    new InferencePool(chart, id, props as InferencePoolProps),
  InferenceGateway: (chart: Chart, id: string, props: unknown) =>
    new InferenceGateway(chart, id, props as InferenceGatewayProps),
};

/** Names that the code of a program can import. */
const IMPORTS = [
  'App',
  'Capacity',
  'GcsFuseVolume',
  'HuggingFaceToken',
  ...Object.keys(CONSTRUCTS),
  'TpuSlice',
  'VllmMetric',
].sort();

/** A program as TypeScript, ready to be a file. */
export function codeOfProgram({ chart, namespace, statements }: Program): string {
  const place = namespace === undefined ? '' : `, { namespace: ${quoted(namespace)} }`;
  const lines = statements.map(
    ({ variable, construct, id, props }) =>
      `${variable === undefined ? '' : `const ${variable} = `}new ${construct}(chart, ${quoted(id)}, ${block(props)});`,
  );
  const body = [
    'const app = new App();',
    `const chart = new Chart(app, ${quoted(chart)}${place});`,
    ...lines,
    'app.synth();',
  ].join('\n');
  const used = IMPORTS.filter((name) => new RegExp(`\\b${name}[(.]`).test(body));
  return ["import { Chart } from 'cdk8s';", importLine(used), '', body, ''].join('\n');
}

function importLine(names: readonly string[]): string {
  const line = `import { ${names.join(', ')} } from 'cdk8s-tpu-serving';`;
  return line.length <= 100
    ? line
    : ['import {', ...names.map((name) => `  ${name},`), "} from 'cdk8s-tpu-serving';"].join('\n');
}

/** Runs a program: its app and chart, before they are rendered. */
export function runProgram({ chart: id, namespace, statements }: Program): {
  readonly app: App;
  readonly chart: Chart;
} {
  const app = new App({ recordConstructMetadata: false });
  const chart = new Chart(app, id, namespace === undefined ? {} : { namespace });
  const variables = new Map<string, unknown>();
  for (const { variable, construct, id: name, props } of statements) {
    const made = CONSTRUCTS[construct](chart, name, valueOf(props, variables));
    if (variable !== undefined) variables.set(variable, made);
  }
  return { app, chart };
}

function valueOf(code: Code | CodeObject, variables: ReadonlyMap<string, unknown>): unknown {
  if (code instanceof Known) return code.make();
  if (code instanceof KnownInstance) return code.make(valueOf(code.props, variables));
  if (code instanceof Expression) return variables.get(code.code);
  if (Array.isArray(code)) return code.map((one: Code) => valueOf(one, variables));
  if (typeof code !== 'object') return code;
  return Object.fromEntries(
    Object.entries(code).flatMap(([key, one]) =>
      one === undefined ? [] : [[key, valueOf(one, variables)] as const],
    ),
  );
}
