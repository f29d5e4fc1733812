/** A value to write as TypeScript code: a literal, an expression, or a list or object of them. Undefined properties are left out. */
export type Code =
  string | number | boolean | Expression | readonly Code[] | { readonly [key: string]: Code | undefined };

/** Code that is written unchanged. */
export class Expression {
  constructor(readonly code: string) {}
}

/** Largest width of a line of code. */
const WIDTH = 100;

/** Returns a text as a literal in single quotes, with escapes. */
export const quoted = (text: string): string =>
  `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", String.raw`\'`)}'`;

/** Writes a value as code, on several lines if it is too long for one. `indent` is the indentation of its first line. */
export function codeOf(value: Code, indent = ''): string {
  const line = inline(value);
  if (value instanceof Instance && line.length + indent.length > WIDTH)
    return `new ${value.name}(${block(value.props, indent)})`;
  if (line.length + indent.length <= WIDTH || typeof value !== 'object' || value instanceof Expression)
    return line;
  if (isObject(value)) return block(value, indent);
  const inner = `${indent}  `;
  return ['[', ...value.map((one) => `${inner}${codeOf(one, inner)},`), `${indent}]`].join('\n');
}

/** Writes an object as code, with a line for each property. */
export function block(value: CodeObject, indent = ''): string {
  const inner = `${indent}  `;
  const lines = entries(value).map(([key, one]) => `${inner}${property(key, codeOf(one, inner))},`);
  return ['{', ...lines, `${indent}}`].join('\n');
}

/** An object to write as code. */
export type CodeObject = Readonly<Record<string, Code | undefined>>;

const isObject = (value: object): value is CodeObject =>
  !Array.isArray(value) && !(value instanceof Expression);

const property = (key: string, code: string): string => (key === code ? key : `${key}: ${code}`);

const entries = (value: CodeObject): readonly (readonly [string, Code])[] =>
  Object.entries(value).flatMap(([key, one]) => (one === undefined ? [] : [[key, one] as const]));

function inline(value: Code): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object') return String(value);
  if (value instanceof Expression) return value.code;
  if (!isObject(value)) return `[${value.map(inline).join(', ')}]`;
  return `{ ${entries(value)
    .map(([key, one]) => property(key, inline(one)))
    .join(', ')} }`;
}

/** A call, like `TpuSlice.of('ct6e-standard-1t')`. */
export const call = (what: string, ...args: readonly Code[]): Expression =>
  new Expression(`${what}(${args.map(inline).join(', ')})`);

/** An object of a class, like `new GcsFuseVolume({ … })`. */
export class Instance extends Expression {
  constructor(
    readonly name: string,
    readonly props: CodeObject,
  ) {
    super(`new ${name}(${inline(props)})`);
  }
}
