import { Agent, request } from 'node:https';

// A plain client of the API server. It returns the answers and warnings of the server unchanged, unlike kubectl.

/** An object of any kind. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    generation?: number;
    uid?: string;
    resourceVersion?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    deletionTimestamp?: string;
    ownerReferences?: { kind: string; name: string; controller?: boolean }[];
    [key: string]: unknown;
  };
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- what a server sends has no type here
  [key: string]: any;
}

/** How a client reaches the API server: what is written to the file that the tests read. */
export interface Access {
  readonly server: string;
  readonly certificateAuthority: string;
  readonly token: string;
}

export interface Answer {
  readonly status: number;
  /** The object, or the server's `Status`. */
  readonly body: KubernetesObject;
  readonly warnings: readonly string[];
}

interface Resource {
  readonly path: string;
  readonly namespaced: boolean;
}

const segment = (apiVersion: string): string =>
  apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;

/** The status of an update of an object that has changed since it was read. */
const CONFLICT = 409;

export const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300;

export class Api {
  private readonly agent: Agent;
  private readonly known = new Map<string, ReadonlyMap<string, Resource>>();

  constructor(private readonly access: Access) {
    this.agent = new Agent({ ca: access.certificateAuthority, keepAlive: true, maxSockets: 8 });
  }

  /** Sends a request and returns the answer, also if it is a refusal. */
  send(method: string, path: string, body?: unknown, contentType = 'application/json'): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = request(
        new URL(path, this.access.server),
        {
          method,
          agent: this.agent,
          headers: { authorization: `Bearer ${this.access.token}`, 'content-type': contentType },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            const header = response.headers.warning;
            resolve({
              status: response.statusCode ?? 0,
              body: parsed(text),
              warnings: warningsIn(Array.isArray(header) ? header.join(', ') : header),
            });
          });
        },
      );
      sent.once('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** Like {@link send}, but throws if the server refuses. */
  async demand(
    method: string,
    path: string,
    body?: unknown,
    contentType?: string,
  ): Promise<KubernetesObject> {
    const answer = await this.send(method, path, body, contentType);
    if (isSuccess(answer)) return answer.body;
    throw new Error(`${method} ${path}: ${String(answer.status)} ${messageOf(answer)}`);
  }

  /** The path of an object, or of the collection it is in; undefined if the server does not know its kind. */
  async pathOf(
    object: {
      readonly apiVersion: string;
      readonly kind: string;
      readonly metadata?: { namespace?: string; name?: string };
    },
    namespace = 'default',
  ): Promise<{ readonly collection: string; readonly object: string } | undefined> {
    const resource = (await this.resources(object.apiVersion)).get(object.kind);
    if (!resource) return undefined;
    const inNamespace = resource.namespaced ? `/namespaces/${object.metadata?.namespace ?? namespace}` : '';
    const collection = `${segment(object.apiVersion)}${inNamespace}/${resource.path}`;
    return { collection, object: `${collection}/${object.metadata?.name ?? ''}` };
  }

  /** Forgets what the server knows, after CRDs were installed. */
  forget(): void {
    this.known.clear();
  }

  /**
   * Sets the replicas of a scale subresource as an autoscaler does: reads the scale, and again if a controller changed the object meanwhile.
   * Returns the scale that was read.
   */
  async scale(path: string, replicas: number): Promise<KubernetesObject> {
    for (;;) {
      const scale = await this.demand('GET', path);
      const answer = await this.send('PUT', `${path}?fieldManager=kube-controller-manager`, {
        ...scale,
        spec: { replicas },
      });
      if (isSuccess(answer)) return scale;
      if (answer.status !== CONFLICT)
        throw new Error(`PUT ${path}: ${String(answer.status)} ${messageOf(answer)}`);
    }
  }

  async create(object: object, namespace?: string, parameters = ''): Promise<Answer> {
    const path = await this.pathOf(object as KubernetesObject, namespace);
    if (!path) return unknownKind(object as KubernetesObject);
    return this.send('POST', `${path.collection}${parameters && `?${parameters}`}`, object);
  }

  async get(apiVersion: string, kind: string, name: string, namespace?: string): Promise<KubernetesObject> {
    const path = await this.pathOf({ apiVersion, kind, metadata: { name } }, namespace);
    return this.demand('GET', path?.object ?? `/${kind}`);
  }

  async list(
    apiVersion: string,
    kind: string,
    namespace: string,
    labelSelector = '',
  ): Promise<readonly KubernetesObject[]> {
    const path = await this.pathOf({ apiVersion, kind }, namespace);
    const query = labelSelector && `?labelSelector=${encodeURIComponent(labelSelector)}`;
    const { items } = (await this.demand('GET', `${path?.collection ?? `/${kind}`}${query}`)) as unknown as {
      items: KubernetesObject[];
    };
    return items;
  }

  private async resources(apiVersion: string): Promise<ReadonlyMap<string, Resource>> {
    const known = this.known.get(apiVersion);
    if (known) return known;
    const { status, body } = await this.send('GET', segment(apiVersion));
    const listed = status === 200 ? (body as unknown as { resources: ResourceEntry[] }).resources : [];
    const found = new Map(
      listed
        .filter(({ name }) => !name.includes('/'))
        .map(({ kind, name, namespaced }) => [kind, { path: name, namespaced }] as const),
    );
    if (found.size > 0) this.known.set(apiVersion, found);
    return found;
  }
}

interface ResourceEntry {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** What a server says that refuses. */
export const messageOf = ({ body }: Answer): string => String(body['message']);

const unknownKind = ({ apiVersion, kind }: KubernetesObject): Answer => ({
  status: 404,
  body: {
    apiVersion: 'v1',
    kind: 'Status',
    metadata: { name: '' },
    message: `no kind ${kind} in ${apiVersion}`,
  },
  warnings: [],
});

function parsed(text: string): KubernetesObject {
  try {
    return JSON.parse(text) as KubernetesObject;
  } catch {
    return { apiVersion: 'v1', kind: 'Status', metadata: { name: '' }, message: text };
  }
}

/** The texts of a `Warning` header, which look like `299 - "text"`. */
const warningsIn = (header: string | undefined): readonly string[] =>
  [...(header ?? '').matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replace(/\\(.)/g, '$1'),
  );
