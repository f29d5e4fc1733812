// Renders the app into a folder beside dist/ and puts it in place only when everything rendered: a failure leaves dist/ as it was.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

const dist = 'dist';
const rendered = mkdtempSync('.synth-');
try {
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', 'main.ts'], {
    stdio: 'inherit',
    env: { ...process.env, CDK8S_OUTDIR: rendered },
  });
  if (status === 0) {
    mkdirSync(dist, { recursive: true });
    for (const old of readdirSync(dist)) rmSync(path.join(dist, old), { recursive: true });
    cpSync(rendered, dist, { recursive: true });
    for (const file of readdirSync(dist).sort()) console.log(path.join(dist, file));
  }
  process.exitCode = status ?? 1;
} finally {
  rmSync(rendered, { recursive: true });
}
