import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type KubernetesObject } from './api';
import { isServed } from './context';
import { documentsIn } from './install';

const DIST = path.join(__dirname, '..', '..', '..', 'dist');

/** A file of dist/ and the objects in it. */
interface Manifest {
  /** Path below dist/. */
  readonly name: string;
  readonly file: string;
  readonly objects: readonly KubernetesObject[];
}

const manifests: readonly Manifest[] = readdirSync(DIST, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yaml'))
  .sort()
  .map((name) => {
    const file = path.join(DIST, name);
    return { name, file, objects: documentsIn(readFileSync(file, 'utf8')) };
  });

/** The files of dist/ whose kinds the server knows. */
export const MANIFESTS = manifests.filter(({ objects }) => objects.every(isServed));

/** The other files of dist/, with the kinds whose CRDs are not installed. */
export const NOT_RUN = manifests
  .filter((one) => !MANIFESTS.includes(one))
  .map(({ name, objects }) => {
    const unknown = objects
      .filter((one) => !isServed(one))
      .map(({ apiVersion, kind }) => `${kind} (${apiVersion})`);
    return `${name}: no CRD of ${[...new Set(unknown)].join(', ')}`;
  });
