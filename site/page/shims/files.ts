// In place of node:fs, node:os and node:child_process: the page has no files and starts no programs.
const refuse = (): never => {
  throw new Error('the page has no files');
};

export const [
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
  tmpdir,
  execFileSync,
  spawnSync,
] = Array.from({ length: 13 }, () => refuse);
