// The fields of a pod template in the types of cdk8s-plus-29, as one small text: imports/pod.ts.
import { readFileSync } from 'node:fs';

/** What the types do with a value, by the code that writes it, and the sign for it behind the name of the field. */
const SIGNS = [
  [/^toJson_(\w+)\(obj\.\w+\)$/, ':'],
  [/^obj\.\w+\?\.map\(y => toJson_(\w+)\(y\)\)$/, '[]'],
  [/^obj\.\w+\?\.map\(y => y\)$/, '[]'],
  [/^obj\.\w+\?\.value$/, '#'],
  [/^obj\.\w+\?\.toISOString\(\)$/, '@'],
  [/Object\.entries.*\?\.value \}\), \{\}\)\)$/, '{}#'],
  [/Object\.entries.*: i\[1\] \}\), \{\}\)\)$/, '{}'],
  [/^obj\.\w+$/, ''],
];

/** Returns the text of imports/pod.ts, read from the code of the installed cdk8s-plus-29. */
export function podFields() {
  const code = readFileSync(new URL(import.meta.resolve('cdk8s-plus-29/lib/imports/k8s.js')), 'utf8');
  const writers = new Map(
    [...code.matchAll(/^function toJson_(\w+)\(obj\) \{\n.*?const result = \{\n(.*?)\n {4}\};/gms)].map(
      ([, name, body]) => [name, body.split('\n')],
    ),
  );
  const names = [];
  const numberOf = (name) => {
    if (!names.includes(name)) names.push(name);
    return names.indexOf(name).toString(36);
  };
  const word = (line) => {
    const [, field, expression] = /^\s+'([^']+)': (.*),$/.exec(line);
    const [, property] = /obj\.(\w+)/.exec(expression);
    const found = SIGNS.map(([form, sign]) => [form.exec(expression), sign]).find(([match]) => match);
    if (!found) throw new Error(`cdk8s-plus-29 writes ${field} in a way that is not known: ${expression}`);
    const [[, type], sign] = found;
    const renamed = property === field ? '' : `=${field}`;
    return `${property}${renamed}${sign}${type === undefined ? '' : numberOf(type)}`;
  };
  numberOf('PodTemplateSpec');
  const lines = [];
  for (let index = 0; index < names.length; index++) {
    const body = writers.get(names[index]);
    if (!body) throw new Error(`cdk8s-plus-29 has no writer of ${names[index]}`);
    lines.push(body.map(word).join(' '));
  }
  return `// Written by \`npm run import\` from the types of cdk8s-plus-29.

/**
 * The types in a pod template of Kubernetes 1.29, a line each; the first is the template. A field has the name that the TypeScript type
 * gives it, and \`=\` and its name in a manifest if that differs. \`:N\` is a value of the type in line N to the base of 36, counted from
 * 0; \`[]\` a list, \`[]N\` a list of that type; \`{}\` a map; \`#\` a Quantity or IntOrString, \`@\` a Date.
 */
export const POD_TYPES = \`
${lines.join('\n')}
\`;
`;
}
