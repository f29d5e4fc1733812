import { BASE_MODEL_HEADER, GATEWAY_GROUP, LLM_D_GROUP } from '../../../facts/gateway';
import { backendsIn, namespaceOf, type PoolView, poolsIn } from '../../../manifest/inference';
import { at, type ManifestObject, text } from '../../../manifest/manifest';
import { namesOfModels } from '../../../manifest/model-names';
import { records } from '../../../manifest/pods';
import { nearestWords } from '../../../problems/nearest';
import { ofGroup } from '../../../manifest/selection';
import { type ManifestSet } from '../../../manifest/set';
import { defineRule, type Violation } from '../../rule';

/** A model name in the requests that reach the servers of a pool. */
interface Asked {
  readonly object: ManifestObject;
  readonly path: string;
  readonly name: string;
  readonly pool: PoolView | undefined;
}

const poolNamed = (set: ManifestSet, name: string, namespace: string): PoolView | undefined =>
  poolsIn(set).find(({ object }) => object.name === name && object.namespace === namespace);

/** The base models that routes match, if the rule has one pool. */
function* ofRoutes(set: ManifestSet): Iterable<Asked> {
  const backends = backendsIn(set);
  for (const object of ofGroup(set, 'HTTPRoute', GATEWAY_GROUP))
    for (const [rule, one] of records(object.manifest, 'spec', 'rules').entries()) {
      const [backend, ...others] = backends.filter((other) => other.route === object && other.rule === rule);
      if (backend?.kind !== 'InferencePool' || others.length > 0) continue;
      for (const [match, by] of records(one, 'matches').entries())
        for (const [index, header] of records(by, 'headers').entries()) {
          const name = text(header, 'value');
          const isModel = text(header, 'name')?.toLowerCase() === BASE_MODEL_HEADER.toLowerCase();
          if (isModel && name !== undefined && (text(header, 'type') ?? 'Exact') === 'Exact')
            yield {
              object,
              path: `spec.rules[${String(rule)}].matches[${String(match)}].headers[${String(index)}].value`,
              name,
              pool: poolNamed(set, backend.name, backend.namespace),
            };
        }
    }
}

/** The models that rewrites send requests to. */
function* ofRewrites(set: ManifestSet): Iterable<Asked> {
  for (const object of ofGroup(set, 'InferenceModelRewrite', LLM_D_GROUP)) {
    const pool = poolNamed(
      set,
      text(object.manifest, 'spec', 'poolRef', 'name') ?? '',
      namespaceOf(undefined, object),
    );
    for (const [rule, one] of records(object.manifest, 'spec', 'rules').entries())
      for (const [index, target] of records(one, 'targets').entries()) {
        const name = text(target, 'modelRewrite');
        const path = `spec.rules[${String(rule)}].targets[${String(index)}].modelRewrite`;
        if (name !== undefined && at(object.manifest, 'spec', 'poolRef') !== undefined)
          yield { object, path, name, pool };
      }
  }
}

/** A name that the servers of a pool do not serve. Returns nothing if a name of the servers is unknown. */
function unknown({ object, path, name, pool }: Asked): Violation<'warning'> | undefined {
  const names = pool && namesOfModels(pool.pods);
  if (!names || names.length === 0 || names.includes(name)) return undefined;
  const [nearest = names[0]] = nearestWords(name, names);
  return {
    object,
    path,
    message: `the servers of InferencePool '${pool.object.name}' serve ${names.map((one) => `'${one}'`).join(' and ')}, so vLLM answers requests for '${name}' with 404`,
    fix: `use '${String(nearest)}', or add '${name}' to --served-model-name`,
  };
}

/** https://github.com/vllm-project/vllm/blob/v0.27.0/vllm/entrypoints/openai/cli_args.py (--served-model-name, --lora-modules) */
export const TPU571 = defineRule({
  code: 'TPU571',
  title: 'routes and rewrites name models that the servers of the pool serve',
  severities: ['warning'],
  kinds: ['HTTPRoute', 'InferenceModelRewrite'],
  check: function* (set) {
    for (const asked of [...ofRoutes(set), ...ofRewrites(set)]) {
      const violation = unknown(asked);
      if (violation) yield violation;
    }
  },
});
