/** Annotation of an object that accepts what a rule finds on it; its value is the reason. */
export const ACCEPT = 'cdk8s-tpu-serving/accept-';
