/**
 * Clusters to which studies are submitted, as the user configures them. Passwords are not stored, because `ssh` runs
 * without prompts. Also a cluster as a draft in the page's form, with all fields as text.
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
  /** Host argument for `ssh`, which may be an entry of its configuration. If empty, sbatch runs on this machine. */
  host: z.literal('').or(sshHostSchema),
  /** Folder that all nodes can access. A relative path starts at the home folder on the cluster. */
  folder: textWithoutControls(500).min(1, 'is empty: enter a folder that every node can read'),
  /**
   * Command that starts this program on the cluster. If empty: `braggbench`, or the running program if sbatch runs on
   * this machine.
   */
  program: textWithoutControls(500),
  /** Environment modules to load before the program starts. */
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

export const draftFromCluster = (cluster: Cluster): ClusterDraft => ({
  ...cluster,
  modules: cluster.modules.join(' '),
  cores: String(cluster.cores),
});

const fieldNames: Readonly<Record<string, string>> = {
  ...{ name: 'The name', host: 'The login host', folder: 'The folder', program: 'Braggbench there' },
  ...{ modules: 'A module', sbatch: 'The options for sbatch', cores: 'Cores: must be a whole number from 1 to 1024;' },
};

/** Parses a draft; on failure, returns an error sentence. */
export function parseCluster(draft: ClusterDraft): { readonly cluster: Cluster } | { readonly fault: string } {
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

/** Replaces the cluster that was named `before`, or adds a new one. */
export function withReplacedCluster(
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
