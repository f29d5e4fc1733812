import { InvalidInputError, Problems } from '../problems/problems';
import { type PodFragment } from './fragment';
import { absolutePath, dnsSubdomain, looksLikeToken, quoted } from '../problems/validators';

/**
 * The value of a prop `huggingFaceToken`, which untyped code may give as a text. What it gives is not repeated: it may be the token.
 *
 * @throws InvalidInputError when it is none
 */
export function givenToken(token: HuggingFaceToken): HuggingFaceToken {
  const given: unknown = token;
  if (given instanceof HuggingFaceToken) return given;
  throw new InvalidInputError([
    `huggingFaceToken is ${given === undefined ? 'missing' : `a ${typeof given}`}, expected HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'), which names a Secret and its key`,
  ]);
}

/** The file that the JetStream images read the token from. */
export const TOKEN_FILE = 'HUGGINGFACE_TOKEN';
/** The volume that holds it. */
export const TOKEN_VOLUME = 'huggingface-credentials';

/**
 * A Hugging Face access token, as a key of a Kubernetes Secret. The token itself is never written into a manifest.
 *
 * @example HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token')
 */
export class HuggingFaceToken {
  private constructor(
    /** Name of the Secret, in the namespace of the pod. */
    readonly secretName: string,
    /** Key of the Secret that holds the token. */
    readonly key: string,
  ) {
    Object.freeze(this);
  }

  /**
   * The token in a Secret that exists already.
   *
   * @param secretName - name of the Secret
   * @param key - its key that holds the token
   * @throws InvalidInputError when a name cannot be a Secret's, or is a token itself
   */
  static fromSecret(secretName: string, key: string): HuggingFaceToken {
    const problems = new Problems();
    const rule = (prop: string, value: string, wrong: string | undefined): string | undefined =>
      looksLikeToken(value)
        ? `huggingFaceToken ${prop} is a Hugging Face token itself, expected the name of a Secret that holds it: kubectl create secret generic hf-secret --from-literal=hf_api_token=…`
        : wrong;
    problems.add(
      rule('secretName', secretName, dnsSubdomain('huggingFaceToken secretName', secretName)),
      rule(
        'key',
        key,
        /^(?!\.$|\.\.)[-._a-zA-Z0-9]{1,253}$/.test(key)
          ? undefined
          : `huggingFaceToken key ${quoted(key)} is not a key of a Secret, expected letters, digits, '-', '_' and '.', and no '..' at its start; nearest: 'hf_api_token'`,
      ),
    );
    problems.throwIfAny();
    return new HuggingFaceToken(secretName, key);
  }

  /** The token in the environment, under both names that servers look for. */
  asEnv(): PodFragment {
    const valueFrom = { secretKeyRef: { name: this.secretName, key: this.key } };
    return {
      env: [
        { name: 'HF_TOKEN', valueFrom },
        { name: 'HUGGING_FACE_HUB_TOKEN', valueFrom },
      ],
    };
  }

  /**
   * The token as the file `HUGGINGFACE_TOKEN` in a folder, readable by its owner alone.
   *
   * @param mountPath - the folder
   */
  asFile(mountPath: string): PodFragment {
    const problems = new Problems();
    problems.add(absolutePath('huggingFaceToken mountPath', mountPath));
    problems.throwIfAny();
    const name = TOKEN_VOLUME;
    const items = this.key === TOKEN_FILE ? undefined : [{ key: this.key, path: TOKEN_FILE }];
    return {
      volumes: [{ name, secret: { secretName: this.secretName, defaultMode: 0o400, items } }],
      volumeMounts: [{ name, mountPath, readOnly: true }],
    };
  }
}
