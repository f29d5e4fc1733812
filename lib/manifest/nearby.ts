import { type ManifestObject } from './manifest';
import { type ManifestSet, perSet } from './set';

// Which objects have to do with TPUs: much YAML in a repository does not.

/** Names of TPUs, and of servers and gateways for models, anywhere in an object. */
const WORDS =
  /(?<![a-z0-9+])(tpus?(?![a-z])|vllm|jetstream|maxengine|maxtext|sglang|sax[-_]|saxml|inferencepool|llm-d)/i;

/** Whether an object, or one that is applied together with it, has to do with TPUs or with model servers. */
export const isNearTpus = (set: ManifestSet, object: ManifestObject): boolean => {
  const { everywhere, scopes } = nearbyIn(set);
  if (object.scopes === undefined)
    return everywhere || [...scopes.keys()].some((one) => isNamed(scopes, one));
  return everywhere || [...object.scopes].some((one) => isNamed(scopes, one));
};

/** The objects of a scope, or whether one of them names TPUs, after the first lookup. */
type Scopes = Map<string, ManifestObject[] | boolean>;

const nearbyIn = perSet((set): { readonly everywhere: boolean; readonly scopes: Scopes } => {
  const scopes: Scopes = new Map();
  const free: ManifestObject[] = [];
  for (const object of set.objects)
    if (object.scopes === undefined) free.push(object);
    else
      for (const scope of object.scopes) {
        const own = scopes.get(scope);
        if (Array.isArray(own)) own.push(object);
        else scopes.set(scope, [object]);
      }
  return { everywhere: free.some(namesTpus), scopes };
});

function isNamed(scopes: Scopes, scope: string): boolean {
  const own = scopes.get(scope);
  if (!Array.isArray(own)) return own === true;
  const named = own.some(namesTpus);
  scopes.set(scope, named);
  return named;
}

const namesTpus = ({ kind, manifest }: ManifestObject): boolean =>
  kind !== 'CustomResourceDefinition' && WORDS.test(JSON.stringify(manifest));
