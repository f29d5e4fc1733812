// The props of the constructs, as the tables in docs/constructs/ show them.
import path from 'node:path';
import ts from 'typescript';
import { root, table } from './pages';

/** The words that several servers and jobs share, by concern. Every table of props has them in this order, before all others. */
export const WORDS: Readonly<Record<string, readonly string[]>> = {
  identity: ['name', 'labels', 'annotations', 'serviceName', 'serviceAccountName'],
  'slice and capacity': ['slice', 'capacity', 'replicas', 'autoscaling'],
  image: ['image', 'images', 'imagePullSecrets', 'command', 'args', 'env'],
  model: [
    'model',
    'servedModelName',
    'modelSize',
    'modelCache',
    'compileCachePath',
    'bucketName',
    'huggingFaceToken',
  ],
  room: ['resources', 'sharedMemory', 'sidecars', 'fragments'],
  'start and stop': [
    'startupSeconds',
    'probes',
    'preStopSeconds',
    'shutdownSeconds',
    'terminationGracePeriodSeconds',
  ],
  rollout: ['rollout', 'disruptionBudget'],
  access: ['port', 'extraPorts', 'serviceType', 'allowedClients', 'podSecurityLevel', 'priorityClassName'],
  observation: ['monitoring'],
  completion: ['backoffLimit', 'maxRestarts', 'activeDeadlineSeconds', 'ttlSecondsAfterFinished'],
  Ray: [
    'rayVersion',
    'kubeRayVersion',
    'head',
    'workerGroups',
    'cpuWorkerGroups',
    'groupName',
    'minReplicas',
    'maxReplicas',
    'enableInTreeAutoscaling',
    'idleTimeoutSeconds',
    'rayStartParams',
    'operatorPeers',
  ],
};

const ORDER = Object.values(WORDS).flat();

/** A prop as its interface documents it. */
interface Prop {
  readonly name: string;
  /** In a union, only some members can require it. */
  readonly required: boolean | 'in some forms';
  readonly type: string;
  /** What `@default` says. */
  readonly byDefault: string;
  /** The first sentence of its comment. */
  readonly sentence: string;
}

/** Types with props: what is left of a union without its texts. */
const OBJECTS = ts.TypeFlags.Object | ts.TypeFlags.Intersection;

const INDEX = path.join(root, 'lib', 'index.ts');

/** The compiler's view of what the package exports. */
interface Compilation {
  readonly checker: ts.TypeChecker;
  /** Interfaces and type aliases by name. */
  readonly types: ReadonlyMap<string, ts.Type>;
  /** Classes by name. */
  readonly classes: ReadonlyMap<string, ts.Symbol>;
}

function compile(): Compilation {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(path.join(root, 'tsconfig.json'), (name) => ts.sys.readFile(name)).config,
    ts.sys,
    root,
  );
  const program = ts.createProgram([INDEX], { ...options, noEmit: true });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(INDEX);
  const module = source && checker.getSymbolAtLocation(source);
  const symbols = (module ? checker.getExportsOfModule(module) : []).map((symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
  );
  const named = (kinds: ts.SymbolFlags): readonly (readonly [string, ts.Symbol])[] =>
    symbols.filter(({ flags }) => flags & kinds).map((symbol) => [symbol.name, symbol]);
  return {
    checker,
    types: new Map(
      named(ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias).map(([name, symbol]) => [
        name,
        checker.getDeclaredTypeOfSymbol(symbol),
      ]),
    ),
    classes: new Map(named(ts.SymbolFlags.Class)),
  };
}

let compilation: Compilation | undefined;
const compiled = (): Compilation => (compilation ??= compile());

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The first sentence of a text. */
const sentenceOf = (text: string): string => /^.*?\.(?=\s|$)/.exec(text)?.[0] ?? text;

/** Characters; a longer type of Kubernetes' objects is only called an object. */
const MAX_TYPE = 90;

/** The type of a prop as its interface writes it; one that is named by another interface is resolved. */
function typeOf(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  const [declaration] = symbol.declarations ?? [];
  const node = declaration && ts.isPropertySignature(declaration) ? declaration.type : undefined;
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(symbol));
  const resolved = checker.getBaseConstraintOfType(type) ?? type;
  const asWritten =
    node &&
    !ts.isIndexedAccessTypeNode(node) &&
    !(checker.getTypeAtLocation(node).flags & ts.TypeFlags.TypeParameter);
  const written = asWritten ? node.getText() : checker.typeToString(resolved).replaceAll('"', "'");
  const plain = oneLine(
    written
      .replace(/\/\*\*[^]*?\*\//g, '')
      .replace(/\b(readonly |k8s\.)/g, '')
      .replace(/^\s*\| /, '')
      .replace(/ \| undefined$/, ''),
  );
  // The props of an object with comments have rows of their own.
  const short = written.includes('/**') ? plain.replace(/\{[^]*\}/, 'object') : plain;
  const long = short.length > MAX_TYPE && /[{<]/.test(short);
  return long || /\b(Other|Omit)</.test(short) ? 'object' : short;
}

const isData = ({ declarations = [] }: ts.Symbol): boolean => declarations.some(ts.isPropertySignature);

/** Whether the library itself declares a prop: not Kubernetes, and not the language. */
const isOurs = (symbol: ts.Symbol): boolean =>
  isData(symbol) &&
  (symbol.declarations ?? []).some((declaration) =>
    declaration.getSourceFile().fileName.startsWith(path.join(root, 'lib')),
  );

/** The props of an exported interface, or of all members of a union, shared words first; undefined if the package has none. */
function propsOf(name: string): readonly Prop[] | undefined {
  if (!read.has(name)) read.set(name, readProps(name));
  return read.get(name);
}

const read = new Map<string, readonly Prop[] | undefined>();

function readProps(name: string): readonly Prop[] | undefined {
  const { checker, types } = compiled();
  const type = types.get(name);
  if (!type) return undefined;
  const members = (type.isUnion() ? type.types : [type]).filter(({ flags }) => flags & OBJECTS);
  const symbols = members.flatMap((member) => checker.getPropertiesOfType(member)).filter(isOurs);
  const names = [...new Set(symbols.map((symbol) => symbol.name))];
  return inOrder(
    names.map((prop) => {
      // In a union, the member that has the prop documents it; the others declare that they have none.
      const same = symbols.filter((symbol) => symbol.name === prop);
      const symbol = same.find((one) => one.getDocumentationComment(checker).length > 0) ?? same[0];
      if (!symbol) throw new Error(prop);
      return documentedBy(symbol, requiredBy(same, members.length), prop);
    }),
  ).flatMap((prop) => [
    prop,
    ...inPlace(
      symbols.filter(({ name: one }) => one === prop.name),
      prop.name,
    ),
  ]);
}

/** A prop as its comment documents it. */
function documentedBy(symbol: ts.Symbol, required: Prop['required'], name: string): Prop {
  const { checker } = compiled();
  const [tag] = symbol.getJsDocTags(checker).filter((one) => one.name === 'default');
  return {
    name,
    required,
    type: typeOf(symbol, checker),
    byDefault: oneLine(ts.displayPartsToString(tag?.text)).replace(/^- /, '') || 'none',
    sentence: sentenceOf(oneLine(ts.displayPartsToString(symbol.getDocumentationComment(checker)))),
  };
}

/** The documented props of objects that the types of a prop write out in place, like `config.eagerInstall`. */
function inPlace(symbols: readonly ts.Symbol[], name: string): readonly Prop[] {
  const { checker } = compiled();
  const found: Prop[] = [];
  const visit = (node: ts.Node): void => {
    const symbol = ts.isPropertySignature(node) ? checker.getSymbolAtLocation(node.name) : undefined;
    if (symbol && symbol.getDocumentationComment(checker).length > 0)
      found.push(documentedBy(symbol, requiredBy([symbol], 1), `${name}.${symbol.name}`));
    else ts.forEachChild(node, visit);
  };
  for (const { declarations = [] } of symbols)
    for (const declaration of declarations)
      if (ts.isPropertySignature(declaration) && declaration.type) visit(declaration.type);
  return found.filter((one, index) => found.findIndex((other) => other.name === one.name) === index);
}

/** Whether the members of a union require a prop; `symbols` are those of the members that have it. */
function requiredBy(symbols: readonly ts.Symbol[], members: number): Prop['required'] {
  const requiring = symbols.filter(({ flags }) => !(flags & ts.SymbolFlags.Optional)).length;
  return requiring === 0 ? false : requiring === members || 'in some forms';
}

/** The shared words in their order, then all others in theirs. */
function inOrder(props: readonly Prop[]): readonly Prop[] {
  const rank = ({ name }: Prop): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  return [...props].sort((a, b) => rank(a) - rank(b));
}

/** Code in a cell of a table. */
const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;
const cell = (text: string): string => text.replace(/(?<!\\)\|/g, '\\|');
/** A default is code if it is a literal. */
const literal = (text: string): string =>
  /^('.*'|-?[\d_.]+|true|false|\[\]|\{\})$/.test(text) ? code(text) : cell(text);

/** The table of the props of an interface. */
const propTable = (props: readonly Prop[]): string =>
  `<!-- prettier-ignore -->\n${table(
    ['prop', 'type', 'default', 'meaning'],
    props.map(({ name, required, type, byDefault, sentence }) => [
      code(name),
      code(type),
      required === false
        ? literal(byDefault)
        : required === true
          ? '**required**'
          : '**required** in one form',
      cell(sentence),
    ]),
  )}\n`;

/** The pages of types that belong to one construct, although others refer to them. */
const HOMES: Readonly<Record<string, string>> = {
  RayHeadGroup: 'TpuRayCluster',
  TpuRayWorkerGroup: 'TpuRayCluster',
  RayCpuWorkerGroup: 'TpuRayCluster',
};

/** The page of the types that several constructs share. */
export const SHARED_PAGE = 'nested-props';

/** The exported types that a type in a table names, in that order. */
const typesIn = (type: string): readonly string[] =>
  [...type.matchAll(/\b[A-Z]\w+/g)].map(([name]) => name).filter((name) => compiled().types.has(name));

/** Whether an exported type has props of the library. */
export const isObject = (type: string): boolean => (propsOf(type) ?? []).length > 0;

/** What an alias stands for, as it is written. */
function aliased(name: string): ts.TypeNode | undefined {
  const [declaration] = compiled().types.get(name)?.aliasSymbol?.declarations ?? [];
  return declaration && ts.isTypeAliasDeclaration(declaration) ? declaration.type : undefined;
}

/** An alias may have an interface in one of its forms, like `Scaler`. */
const writtenAs = (name: string): string => aliased(name)?.getText() ?? '';

/** The forms of an alias that have no props, as code: texts and classes. */
function otherForms(name: string): readonly string[] {
  const node = aliased(name);
  const forms = node && ts.isUnionTypeNode(node) ? [...node.types] : [];
  return forms.some(ts.isTypeLiteralNode)
    ? forms.filter((form) => !ts.isTypeLiteralNode(form)).map((form) => code(form.getText()))
    : [];
}

/** A class whose page has a type as its props: `GcsFuseVolume` of `GcsFuseVolumeProps`. */
const classOf = (type: string): string | undefined => {
  const name = type.replace(/Props$/, '');
  return name !== type && compiled().classes.has(name) ? name : undefined;
};

/** Whether the library declares a method for others to call. */
const isCall = ({ name, declarations = [] }: ts.Symbol): boolean =>
  !name.startsWith('_') &&
  declarations.some((declaration) => declaration.getSourceFile().fileName.startsWith(path.join(root, 'lib')));

/** The static methods of a class that make its values. */
function callsOf(name: string): readonly ts.Symbol[] {
  const { checker, classes } = compiled();
  const symbol = classes.get(name);
  return symbol
    ? checker
        .getPropertiesOfType(checker.getTypeOfSymbol(symbol))
        .filter((one) => one.flags & ts.SymbolFlags.Method && isCall(one))
    : [];
}

/** How a static method is called, without its types. */
function signatureOf(name: string, method: ts.Symbol): string {
  const [declaration] = method.declarations ?? [];
  const parameters =
    declaration && ts.isMethodDeclaration(declaration)
      ? declaration.parameters.map(
          ({ name: word, initializer, questionToken }) =>
            `${word.getText()}${initializer || questionToken ? '?' : ''}`,
        )
      : [];
  return `${name}.${method.name}(${parameters.join(', ')})`;
}

/** The types of the objects in what a construct accepts, outermost first: those of its props, and of the props of those. */
function nestedIn(construct: string): readonly string[] {
  const { checker } = compiled();
  const found = new Set<string>();
  const visit = (types: readonly string[]): void => {
    for (const type of types.filter((one) => !found.has(one))) {
      found.add(type);
      if (classOf(type) === undefined)
        visit([...(propsOf(type) ?? []).flatMap((prop) => typesIn(prop.type)), ...typesIn(writtenAs(type))]);
    }
  };
  const props = propsOf(`${construct}Props`);
  visit(
    props
      ? props.flatMap(({ type }) => typesIn(type))
      : callsOf(construct).flatMap(({ declarations = [] }) =>
          declarations.flatMap((declaration) =>
            ts.isMethodDeclaration(declaration)
              ? declaration.parameters.flatMap((parameter) =>
                  typesIn(checker.typeToString(checker.getTypeAtLocation(parameter))),
                )
              : [],
          ),
        ),
  );
  found.delete(`${construct}Props`);
  return [...found].filter(isObject);
}

/** The types of nested props by the page that has their table. */
function homes(constructs: readonly string[]): ReadonlyMap<string, string> {
  const users = new Map<string, string[]>();
  for (const construct of constructs)
    for (const type of nestedIn(construct)) users.set(type, [...(users.get(type) ?? []), construct]);
  return new Map(
    [...users].map(([type, [first = '', ...others]]) => [
      type,
      HOMES[type] ?? classOf(type) ?? (others.length === 0 ? first : SHARED_PAGE),
    ]),
  );
}

let known: ReadonlyMap<string, string> | undefined;

/** Whether a type has fields of Kubernetes' own type beside those of the library. */
function hasForeign(name: string): boolean {
  const { checker, types } = compiled();
  const type = types.get(name);
  return type !== undefined && checker.getPropertiesOfType(type).some((one) => !isOurs(one) && isData(one));
}

/** The types that an alias is one of, if it is nothing else: `ModelFacts`. */
function choices(type: string): readonly string[] {
  const written = writtenAs(type).split('|');
  const names = written.map((text) => text.trim());
  return names.every((name) => compiled().types.has(name)) ? names : [];
}

/** A link to the table of a type from the page of a construct, or from that of the shared types. */
function linkTo(type: string, from: string): string {
  const page = known?.get(type) ?? SHARED_PAGE;
  const anchor = classOf(type) === page ? 'props' : type.toLowerCase();
  return `[${type}](${page === from ? '' : `${page}.md`}#${anchor})`;
}

/** The section of a type on a page. */
function sectionOf(type: string, page: string): string {
  const links = choices(type).map((one) => linkTo(one, page));
  if (links.length > 0) return `### ${type}\n\n${links.join(' or ')}.\n`;
  const others = hasForeign(type) ? '\nIts other fields are the same as in Kubernetes.\n' : '';
  const forms = otherForms(type);
  const lead = forms.length > 0 ? `${forms.join(', ')}, or an object:\n\n` : '';
  return `### ${type}\n\n${lead}${propTable(propsOf(type) ?? [])}${others}`;
}

/** The tables of the types that several constructs share, by name. */
export function sharedTables(constructs: readonly string[]): string {
  known ??= homes(constructs);
  return [...known]
    .filter(([, page]) => page === SHARED_PAGE)
    .map(([type]) => sectionOf(type, SHARED_PAGE).replace('###', '##'))
    .sort()
    .join('\n');
}

/** The section about what a construct accepts; empty if that is nothing. `constructs` are all that have a page. */
export function propSections(construct: string, constructs: readonly string[]): string {
  known ??= homes(constructs);
  const props = propsOf(`${construct}Props`);
  const calls = callsOf(construct);
  if (!props && calls.length === 0) return '';
  const { checker } = compiled();
  const first = props
    ? `## Props\n\n${propTable(props)}`
    : `## Calls\n\n<!-- prettier-ignore -->\n${table(
        ['call', 'meaning'],
        calls.map((call) => [
          code(signatureOf(construct, call)),
          cell(sentenceOf(oneLine(ts.displayPartsToString(call.getDocumentationComment(checker))))),
        ]),
      )}\n`;
  const nested = nestedIn(construct).map((type) => ({ type, page: known?.get(type) ?? '' }));
  const own = nested.filter(({ page }) => page === construct).map(({ type }) => sectionOf(type, construct));
  const links = nested.filter(({ page }) => page !== construct).map(({ type }) => linkTo(type, construct));
  const elsewhere = links.length === 0 ? '' : `Types with their own table: ${links.join(', ')}.\n\n`;
  return `${[first, ...own].join('\n')}\n${elsewhere}`;
}
