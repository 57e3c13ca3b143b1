/** Clusters that studies are given to, as the user describes them. Nothing of a password is among it: `ssh` asks nothing. */
import { z } from 'zod';
import { sshHostSchema } from '../remote.ts';

const noControls = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^\P{Cc}*$/u, 'holds a control character');

export const clusterSchema = z.strictObject({
  name: z.string().regex(/^[\p{L}\p{N}_][\p{L}\p{N}_ .,()+–-]{0,59}$/u, 'is not a name: letters, digits, spaces'),
  /** As `ssh` takes it, an entry of its configuration too; empty: sbatch is on this machine. */
  host: z.literal('').or(sshHostSchema),
  /** Every node sees it. From the home folder there where it is not absolute. */
  folder: noControls(500).min(1, 'is empty: name a folder that every node sees'),
  /**
   * Command that starts this program on the cluster. If empty: `braggbench`, or this very program if the cluster is
   * this machine.
   */
  program: noControls(500),
  /** Modules to load first. */
  modules: z
    .array(z.string().regex(/^[\w./+-]{1,100}$/, 'is not the name of a module'))
    .max(20)
    .readonly(),
  /** Further words for sbatch. */
  sbatch: noControls(1000),
  /** CPU cores of a task. */
  cores: z.number().int().min(1).max(1024),
});
export type Cluster = Readonly<z.infer<typeof clusterSchema>>;

export const clustersSchema = z
  .array(clusterSchema)
  .max(50)
  .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'two clusters have one name')
  .readonly();

export const newCluster: Cluster = {
  ...{ name: '', host: '', folder: 'braggbench', program: '', modules: [], sbatch: '', cores: 1 },
};
