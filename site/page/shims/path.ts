// The functions of node:path that the checks use on names of files, as on POSIX.
export const sep = '/';

/** Resolves `.` and `..` in a path. */
export function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '..' || !path.startsWith('/')) parts.push(part);
  }
  const text = parts.join('/');
  const end = path.endsWith('/') ? '/' : '';
  if (path.startsWith('/')) return text === '' ? '/' : `/${text}${end}`;
  return `${text === '' ? '.' : text}${end}`;
}

export const join = (...paths: readonly string[]): string =>
  normalize(paths.filter((path) => path !== '').join('/'));

export function dirname(path: string): string {
  const end = path.replace(/(?<=.)\/+$/, '').lastIndexOf('/');
  if (end < 0) return '.';
  return end === 1 && path.startsWith('//') ? '//' : path.slice(0, end) || '/';
}

export const basename = (path: string): string => path.replace(/\/+$/, '').split('/').at(-1) ?? '';

export default { sep, normalize, join, dirname, basename };
