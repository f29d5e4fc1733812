import path from 'node:path';
import ts from 'typescript';
import { MACHINE_TYPES, type TpuMachineType } from '../../lib/tpu/generations';
import { topologiesOf } from '../../lib/tpu/topology';

// loading the project takes seconds
jest.setTimeout(60_000);

const root = path.join(__dirname, '..', '..');
const file = path.join(root, 'test', 'completed.ts');

/** The language service that editors use, for a project with one file in memory. */
function serviceOf(): (code: string) => readonly string[] {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(path.join(root, 'tsconfig.json'), (name) => ts.sys.readFile(name)).config,
    ts.sys,
    root,
  );
  let [text, version] = ['', 0];
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: (name) => (name === file ? String(version) : '0'),
    getScriptSnapshot: (name) => {
      const content = name === file ? text : ts.sys.readFile(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: (name) => ts.sys.readFile(name),
  });
  return (code) => {
    const cursor = code.indexOf('|');
    text = `import { TpuSlice } from '../lib/tpu/slice';\n`;
    const position = text.length + cursor;
    text += code.slice(0, cursor) + code.slice(cursor + 1);
    version++;
    return (service.getCompletionsAtPosition(file, position, {})?.entries ?? [])
      .map(({ name }) => name)
      .sort();
  };
}

describe('in an editor', () => {
  const completed = serviceOf();

  test('machine types are completed', () => {
    expect(completed("TpuSlice.of('|');")).toEqual(Object.keys(MACHINE_TYPES).sort());
  });

  test.each<[TpuMachineType, readonly string[]]>([
    ['ct6e-standard-1t', ['1x1']],
    ['ct6e-standard-8t', ['2x4']],
    ['ct5p-hightpu-4t', ['2x2x1', '2x2x2', '2x2x4', '2x4x4']],
    ['tpu7x-standard-1t', ['1x1x1']],
    ['ct6e-standard-4t', topologiesOf('ct6e-standard-4t')],
  ])('the topologies of %s are completed, without error messages among them', (type, topologies) => {
    expect(completed(`TpuSlice.of('${type}', '|');`)).toEqual([...topologies].sort());
  });

  test('an invalid topology is completed too', () => {
    expect(completed("TpuSlice.of('ct6e-standard-8t', '3|');")).toEqual(['2x4']);
  });
});
