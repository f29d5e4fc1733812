// Globals of Node that cdk8s and the library read. The page has no environment.
export const process = { env: {} };

/** Only what a rule does with the values of Secrets: from base64 to Latin-1. */
export const Buffer = {
  from: (text: string, encoding: string): { toString: (as: string) => string } => ({
    toString: (as) => {
      if (encoding !== 'base64' || as !== 'latin1') throw new Error('the page has no such Buffer');
      const digits = text.replaceAll('-', '+').replaceAll('_', '/').split('=', 1)[0] ?? '';
      const plain = digits.replaceAll(/[^A-Za-z0-9+/]/g, '');
      return atob(plain.length % 4 === 1 ? plain.slice(0, -1) : plain);
    },
  }),
};
