import { spawnSync } from 'node:child_process';
import { type Browser, chromium } from 'playwright-core';

/** Path of the Chromium of `CHROMIUM`, or of the one on the PATH. */
function executable(): string {
  const named = process.env['CHROMIUM'];
  if (named !== undefined && named !== '') return named;
  const { stdout } = spawnSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' });
  const found = stdout.trim();
  if (found === '') throw new Error('no chromium on the PATH: install it, or set CHROMIUM to its path');
  return found;
}

/** Starts Chromium without a window. Containers run it as root, where its sandbox does not start. */
export const startChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: executable(), args: ['--no-sandbox'] });
