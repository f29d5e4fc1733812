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

const INDEX = path.join(root, 'lib', 'index.ts');

/** The compiler's view of what the package exports. */
function compiled(): { readonly checker: ts.TypeChecker; readonly types: ReadonlyMap<string, ts.Type> } {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(path.join(root, 'tsconfig.json'), (name) => ts.sys.readFile(name)).config,
    ts.sys,
    root,
  );
  const program = ts.createProgram([INDEX], { ...options, noEmit: true });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(INDEX);
  const module = source && checker.getSymbolAtLocation(source);
  const types = new Map(
    (module ? checker.getExportsOfModule(module) : [])
      .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
      .filter(({ flags }) => flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias))
      .map((symbol) => [symbol.name, checker.getDeclaredTypeOfSymbol(symbol)]),
  );
  return { checker, types };
}

let compilation: ReturnType<typeof compiled> | undefined;

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The first sentence of a text. */
const sentenceOf = (text: string): string => /^.*?\.(?=\s|$)/.exec(text)?.[0] ?? text;

/** The type of a prop as its interface writes it; one that is named by another interface is resolved. */
function typeOf(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  const [declaration] = symbol.declarations ?? [];
  const node = declaration && ts.isPropertySignature(declaration) ? declaration.type : undefined;
  const written =
    node && !ts.isIndexedAccessTypeNode(node)
      ? node.getText()
      : checker
          .typeToString(checker.getNonNullableType(checker.getTypeOfSymbol(symbol)))
          .replaceAll('"', "'");
  return oneLine(written.replace(/\b(readonly |k8s\.)/g, ''));
}

/** The props of an exported interface, or of all members of a union, shared words first; undefined if the package has none. */
function propsOf(name: string): readonly Prop[] | undefined {
  compilation ??= compiled();
  const { checker, types } = compilation;
  const type = types.get(name);
  if (!type) return undefined;
  const members = type.isUnion() ? type.types : [type];
  const symbols = members.flatMap((member) => checker.getPropertiesOfType(member));
  const names = [...new Set(symbols.map((symbol) => symbol.name))];
  return inOrder(
    names.map((prop): Prop => {
      // In a union, the member that has the prop documents it; the others declare that they have none.
      const same = symbols.filter((symbol) => symbol.name === prop);
      const symbol = same.find((one) => one.getDocumentationComment(checker).length > 0) ?? same[0];
      if (!symbol) throw new Error(prop);
      const [tag] = symbol.getJsDocTags(checker).filter((one) => one.name === 'default');
      return {
        name: prop,
        required: requiredBy(same, members.length),
        type: typeOf(symbol, checker),
        byDefault: oneLine(ts.displayPartsToString(tag?.text)).replace(/^- /, ''),
        sentence: sentenceOf(oneLine(ts.displayPartsToString(symbol.getDocumentationComment(checker)))),
      };
    }),
  );
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

/** Props that are objects of interfaces with a table of their own, on the page of one construct. */
const GROUPS: Readonly<Record<string, string>> = {
  head: 'RayHeadGroup',
  workerGroups: 'TpuRayWorkerGroup',
  cpuWorkerGroups: 'RayCpuWorkerGroup',
};
const PAGE_OF_GROUPS = 'TpuRayCluster';

/** The section about the props of a construct; empty if it has no interface of its own. */
export function propSections(construct: string): string {
  const props = propsOf(`${construct}Props`);
  if (!props) return '';
  const grouped = Object.entries(GROUPS).filter(([prop]) => props.some(({ name }) => name === prop));
  const groups =
    construct === PAGE_OF_GROUPS
      ? grouped.map(([prop, type]) => `### Props of \`${prop}\`\n\n${propTable(propsOf(type) ?? [])}\n`)
      : grouped.length > 0
        ? [`The [props of the groups](${PAGE_OF_GROUPS}.md#props) are those of a Ray cluster.\n\n`]
        : [];
  return `## Props\n\n${propTable(props)}\n${groups.join('')}`;
}
