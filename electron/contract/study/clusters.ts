/**
 * Clusters that studies are submitted to, as the user describes them. No password is stored, because `ssh` runs without
 * prompts. Also the draft of a cluster in the page's form, with every field as typed.
 */
import { z } from 'zod';
import { sshHostSchema } from '../remote.ts';

const textWithoutControls = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^\P{Cc}*$/u, 'contains a control character');

export const clusterSchema = z.strictObject({
  name: z.string().regex(/^[\p{L}\p{N}_][\p{L}\p{N}_ .,()+–-]{0,59}$/u, 'is not a name: letters, digits, spaces'),
  /** Host as `ssh` accepts it, including entries of its configuration; if empty, sbatch is on this machine. */
  host: z.literal('').or(sshHostSchema),
  /** Folder that every node can access. A relative path starts at the cluster's home folder. */
  folder: textWithoutControls(500).min(1, 'is empty: enter a folder that every node can read'),
  /**
   * Command that starts this program on the cluster. If empty: `braggbench`, or this very program if the cluster is
   * this machine.
   */
  program: textWithoutControls(500),
  /** Modules to load first. */
  modules: z
    .array(z.string().regex(/^[\w./+-]{1,100}$/, 'is not a module name'))
    .max(20)
    .readonly(),
  /** Additional arguments for sbatch. */
  sbatch: textWithoutControls(1000),
  /** CPU cores per task. */
  cores: z.number().int().min(1).max(1024),
});
export type Cluster = Readonly<z.infer<typeof clusterSchema>>;

export const clustersSchema = z
  .array(clusterSchema)
  .max(50)
  .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'two clusters have the same name')
  .readonly();

export const newCluster: Cluster = {
  ...{ name: '', host: '', folder: 'braggbench', program: '', modules: [], sbatch: '', cores: 1 },
};

export type ClusterDraft = Readonly<
  Record<'name' | 'host' | 'folder' | 'program' | 'modules' | 'sbatch' | 'cores', string>
>;

export const draftOf = (cluster: Cluster): ClusterDraft => ({
  ...cluster,
  modules: cluster.modules.join(' '),
  cores: String(cluster.cores),
});

const fieldNames: Readonly<Record<string, string>> = {
  ...{ name: 'The name', host: 'The login host', folder: 'The folder', program: 'Braggbench there' },
  ...{ modules: 'A module', sbatch: 'The options for sbatch', cores: 'Cores: must be a whole number from 1 to 1024;' },
};

/** Parses a cluster; an error is one sentence. */
export function clusterOf(draft: ClusterDraft): { readonly cluster: Cluster } | { readonly fault: string } {
  const words = draft.modules.split(/[\s,]+/).filter((word) => word !== '');
  const parsed = clusterSchema.safeParse({
    ...draft,
    ...{ name: draft.name.trim(), host: draft.host.trim(), folder: draft.folder.trim() },
    ...{ modules: words, cores: Number(draft.cores) },
  });
  if (parsed.success) return { cluster: parsed.data };
  const [issue] = parsed.error.issues;
  return { fault: `${fieldNames[String(issue?.path[0])] ?? 'It'} ${issue?.message ?? 'is not valid'}.` };
}

/** Returns the list with one cluster changed or added. `before` is the cluster's previous name. */
export function withCluster(
  all: readonly Cluster[],
  before: string | null,
  cluster: Cluster,
): { readonly clusters: readonly Cluster[] } | { readonly fault: string } {
  const known = all.some(({ name }) => name === before);
  const next = known ? all.map((one) => (one.name === before ? cluster : one)) : [...all, cluster];
  const parsed = clustersSchema.safeParse(next);
  if (parsed.success) return { clusters: parsed.data };
  return { fault: `Not saved: ${parsed.error.issues[0]?.message ?? 'the entry is not valid'}.` };
}
