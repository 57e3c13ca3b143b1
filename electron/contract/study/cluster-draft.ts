/** A cluster as it is typed in. */
import { type Cluster, clusterSchema, clustersSchema } from './clusters.ts';

export type ClusterDraft = Readonly<
  Record<'name' | 'host' | 'folder' | 'program' | 'modules' | 'sbatch' | 'cores', string>
>;

export const draftOf = (cluster: Cluster): ClusterDraft => ({
  ...cluster,
  modules: cluster.modules.join(' '),
  cores: String(cluster.cores),
});

const spoken: Readonly<Record<string, string>> = {
  ...{ name: 'The name', host: 'The login host', folder: 'The folder', program: 'Braggbench there' },
  ...{ modules: 'A module', sbatch: 'The words for sbatch', cores: 'Cores: must be a whole number from 1 to 1024;' },
};

/** The cluster, or what is wrong with it in one sentence. */
export function clusterOf(draft: ClusterDraft): { readonly cluster: Cluster } | { readonly fault: string } {
  const words = draft.modules.split(/[\s,]+/).filter((word) => word !== '');
  const parsed = clusterSchema.safeParse({
    ...draft,
    ...{ name: draft.name.trim(), host: draft.host.trim(), folder: draft.folder.trim() },
    ...{ modules: words, cores: Number(draft.cores) },
  });
  if (parsed.success) return { cluster: parsed.data };
  const [issue] = parsed.error.issues;
  return { fault: `${spoken[String(issue?.path[0])] ?? 'It'} ${issue?.message ?? 'is not right'}.` };
}

/** With one changed, or added; `before`: how it was called. */
export function withCluster(
  all: readonly Cluster[],
  before: string | null,
  cluster: Cluster,
): { readonly clusters: readonly Cluster[] } | { readonly fault: string } {
  const known = all.some(({ name }) => name === before);
  const next = known ? all.map((one) => (one.name === before ? cluster : one)) : [...all, cluster];
  const parsed = clustersSchema.safeParse(next);
  if (parsed.success) return { clusters: parsed.data };
  return { fault: `Not kept: ${parsed.error.issues[0]?.message ?? 'it is not right'}.` };
}
