/** Returns props with a name: the given one, or the id of the construct. Untyped code can omit the props. */
export const withName = <P extends { readonly name?: string }>(props: P | undefined, id: string): P =>
  ({ ...props, name: props?.name ?? id }) as P;
