import { brand, isBranded } from '../problems/brand';
import { absolutePath, dnsSubdomain, type Grammar, looksLikeToken } from '../problems/grammar';
import { Problems } from '../problems/problems';
import { misfit, type NamedResource, nameOf, resourceName, string, type Type } from '../problems/schema';
import { type PodFragment } from './fragment';

/** Name of the file with the token that the JetStream images read. */
export const TOKEN_FILE = 'HUGGINGFACE_TOKEN';
/** The volume of that file. */
export const TOKEN_VOLUME = 'huggingface-credentials';

/**
 * A Hugging Face access token, as a key of a Kubernetes Secret. The token itself never appears in a manifest.
 *
 * @example HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token')
 */
export class HuggingFaceToken {
  private constructor(
    /** Name of the Secret, in the namespace of the pod. */
    readonly secretName: string,
    /** Key of the Secret that contains the token. */
    readonly key: string,
  ) {
    Object.freeze(this);
  }

  /**
   * The token in an existing Secret, or in one that the app renders without its value.
   *
   * @param secret - name of the Secret, or a `Secret` of cdk8s-plus
   * @param key - key of the Secret that contains the token
   * @throws InvalidInputError if a name is not valid for a Secret, or is itself a token
   */
  static fromSecret(secret: string | NamedResource, key: string): HuggingFaceToken {
    const problems = new Problems();
    const name = unlessToken(secretType).read(secret, 'huggingFaceToken.secretName', problems);
    const read = unlessToken(string(secretKey)).read(key, 'huggingFaceToken.key', problems);
    problems.throwIfAny();
    return new HuggingFaceToken(nameOf(problems.settle(name)), problems.settle(read));
  }

  /**
   * The token in the environment, as `HF_TOKEN`.
   *
   * @see https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables
   */
  asEnv(): PodFragment {
    return {
      env: [{ name: 'HF_TOKEN', valueFrom: { secretKeyRef: { name: this.secretName, key: this.key } } }],
    };
  }

  /**
   * The token as the file `HUGGINGFACE_TOKEN` in a folder, readable only by its owner.
   *
   * @param mountPath - the folder
   * @throws InvalidInputError if `mountPath` is not an absolute path
   */
  asFile(mountPath: string): PodFragment {
    const problems = new Problems();
    string(absolutePath).read(mountPath, 'huggingFaceToken.mountPath', problems);
    problems.throwIfAny();
    const name = TOKEN_VOLUME;
    const items = this.key === TOKEN_FILE ? undefined : [{ key: this.key, path: TOKEN_FILE }];
    return {
      volumes: [{ name, secret: { secretName: this.secretName, defaultMode: 0o400, items } }],
      volumeMounts: [{ name, mountPath, readOnly: true }],
    };
  }
}
brand(HuggingFaceToken, 'HuggingFaceToken');

const FROM_SECRET =
  "HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'), which names a Secret and its key";

/** A prop `huggingFaceToken`. Problems do not show its value, which may be the token. */
export const tokenType: Type<HuggingFaceToken> = {
  what: FROM_SECRET,
  read: (value, path, problems) => {
    if (isBranded(value, 'HuggingFaceToken')) return value as HuggingFaceToken;
    problems.add({ ...misfit(path, value, FROM_SECRET), value: undefined });
    return undefined;
  },
};

const secretType = resourceName(dnsSubdomain, 'Secret');

/** Keys of Secrets. */
export const secretKey: Grammar = (value) =>
  /^(?!\.$|\.\.)[-._a-zA-Z0-9]{1,253}$/.test(value)
    ? undefined
    : {
        problem: 'is not a key of a Secret',
        use: "letters, digits, '-', '_' and '.', not starting with '..'",
        nearest: 'hf_api_token',
      };

/** Like `type`, but rejects a token without showing it. */
const unlessToken = <T>(type: Type<T>): Type<T> => ({
  what: type.what,
  read: (value, path, problems) => {
    if (typeof value !== 'string' || !looksLikeToken(value)) return type.read(value, path, problems);
    problems.add({
      path,
      problem: 'is itself a Hugging Face token',
      use: 'the name of a Secret that contains it, from: kubectl create secret generic hf-secret --from-literal=hf_api_token=…',
    });
    return undefined;
  },
});

/** The name of a Secret with a token. Rejects a token without showing it. */
export const tokenSecretName: Type<string> = unlessToken(string(dnsSubdomain, 'the name of a Secret'));
