import { type Runbook } from '../../lib';

/** A command as its parts: what it runs on, in order, and its flags, in none. */
export type Parts = Readonly<Record<string, string>>;

/** Flags without a value. Other flags use the next word if they have no `=`. */
const BOOLEAN = new Set([
  ...['--enable-autoscaling', '--enable-ip-alias', '--enable-ray-operator', '--flex-start', '--hard'],
  ...['--no-enable-autorepair', '--prefix', '--recursive', '--save_pictures', '--server-side', '--watch'],
  ...['--uniform-bucket-level-access', '-s', '-w'],
]);
/** Other spellings of a flag. */
const SPELLING: Readonly<Record<string, string>> = {
  '-H': '--header',
  '-d': '--data',
  '-n': '--namespace',
  '-w': '--watch',
  '-l': '--selector',
};

/** The words of a line as a shell reads them, without the expansion of `$name`. */
export function wordsOf(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [part = '', single, double, escaped, plain] of line.matchAll(
    /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\([\s\S])|([^\s'"\\]+)|\s+/g,
  )) {
    if (/^\s/.test(part)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (escaped !== '\n') word = (word ?? '') + (single ?? double ?? escaped ?? plain ?? '');
  }
  return word === undefined ? words : [...words, word];
}

/** Whether `-f` names a file: kubectl's `logs -f` follows, `apply -f` and `docker build -f` do not. */
const takesFile = (words: readonly string[]): boolean => words[1] !== 'logs';

/** A command in parts, `WORDS` for words that are not flags: line breaks, quotes, the order of flags and `--flag v` for `--flag=v` are gone. */
export function partsOf(command: string): Parts {
  // of `name=$(command)` the command
  const words = wordsOf((/^(?:export )?\w+=\$\((.*)\)$/s.exec(command.trim())?.[1] ?? command).trim());
  const parts: Record<string, string> = {};
  const rest: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const [, flag, value] = /^(--[a-z_-]+)=([\s\S]*)$/.exec(word) ?? [];
    if (flag !== undefined) parts[flag] = value ?? '';
    else if (/^--?[a-zA-Z]/.test(word)) {
      const alone = BOOLEAN.has(word) || (word === '-f' && !takesFile(words));
      if (!alone) index += 1;
      parts[SPELLING[word] ?? word] = alone ? '' : (words[index] ?? '');
    } else rest.push(word);
  }
  const isCurl = rest[0] === 'curl';
  if (isCurl) {
    const { '--data': data } = parts;
    parts['--request'] ??= data === undefined ? 'GET' : 'POST';
    // progress or none
    delete parts['-s'];
    if (data !== undefined) parts['--data'] = JSON.stringify(JSON.parse(data));
    parts['--header'] = (parts['--header'] ?? '').toLowerCase();
  }
  if (rest[1] === 'port-forward') rest[3] = (rest[3] ?? '').replace(/^(\d+)$/, '$1:$1');
  return { WORDS: rest.join(' ').replace('http://', ''), ...parts };
}

/** Every command of a runbook, as text; of a script each line, and the script as a whole. */
export const commandsOf = (runbook: Pick<Runbook, 'sections'>): readonly string[] =>
  runbook.sections.flatMap(({ steps }) =>
    steps.flatMap(({ commands }) =>
      commands.map(String).flatMap((text) => {
        const lines = text.replaceAll(/ \\\n\s*/g, ' ').split('\n');
        return lines.length === 1 ? lines : [text, ...lines.map((line) => line.trim())];
      }),
    ),
  );

/** The whole text of a runbook's commands, as one script. */
export const scriptOf = (runbook: Runbook): string =>
  runbook.sections.flatMap(({ steps }) => steps.flatMap(({ commands }) => commands.map(String))).join('\n');
