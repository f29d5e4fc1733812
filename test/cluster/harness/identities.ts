import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

// The users of the API server. Each program has its own user with the permissions of the upstream manifests, so that RBAC works as in a cluster.

export interface Identity {
  readonly user: string;
  readonly groups: readonly string[];
  readonly token: string;
}

const identity = (user: string, ...groups: readonly string[]): Identity => ({
  user,
  groups,
  token: randomBytes(16).toString('hex'),
});

export const administrator = (): Identity => identity('administrator', 'system:masters');

export const systemUser = (name: string): Identity => identity(`system:${name}`);

/** The identity of a Pod that runs with a ServiceAccount. */
export const serviceAccount = (namespace: string, name: string): Identity =>
  identity(
    `system:serviceaccount:${namespace}:${name}`,
    'system:serviceaccounts',
    `system:serviceaccounts:${namespace}`,
  );

/** Writes the file of `--token-auth-file`. */
export function writeTokens(file: string, identities: readonly Identity[]): void {
  const lines = identities.map(({ user, groups, token }) => `${token},${user},${user},"${groups.join(',')}"`);
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
}

/** Writes a kubeconfig of an identity; returns its path. */
export function writeKubeconfig(
  folder: string,
  name: string,
  server: string,
  certificateAuthority: string,
  { token }: Identity,
): string {
  const file = path.join(folder, `${name}.kubeconfig`);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'test',
        cluster: {
          server,
          'certificate-authority-data': Buffer.from(certificateAuthority).toString('base64'),
        },
      },
    ],
    users: [{ name: 'user', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'user' } }],
    'current-context': 'test',
  };
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}
