/** Names of the quotas that count the chips of a generation in GKE, as the console shows them. */
interface QuotaNames {
  readonly onDemand: string;
  /** Quota of spot and flex-start capacity. */
  readonly preemptible: string;
}

/**
 * Quotas of the Compute Engine API by TPU generation, if a source confirms their names.
 *
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/concepts/plan-tpus#ensure-quota
 * @see https://github.com/AI-Hypercomputer/tpu-recipes (prerequisites of the recipes for v6e)
 * @see https://github.com/kubeai-project/kubeai/blob/main/docs/installation/gke.md
 */
export const QUOTA_NAMES: Readonly<Record<string, QuotaNames>> = {
  v5e: { onDemand: 'TPU v5 Lite PodSlice chips', preemptible: 'Preemptible TPU v5 Lite Podslice chips' },
  v6e: {
    onDemand: 'TPUs per TPU family, with tpu_family:CT6E',
    preemptible: 'Preemptible TPU slices v6e',
  },
};
