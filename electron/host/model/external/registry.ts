/** The programs outside Braggbench that solve the same scenarios: assets/external/registry.json. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { BraggError } from '../../../contract/errors.ts';

const baselineSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  language: z.string(),
  device: z.enum(['cpu', 'cuda']),
  style: z.string(),
  /** The first word is looked up in PATH; further ones that name files are relative to the registry's folder. */
  command: z.array(z.string().min(1)).min(1),
  /** Ends with code 0 where the program can run; the last line that it says otherwise is why not. */
  check: z.array(z.string().min(1)).min(1).optional(),
});
export type Baseline = Readonly<z.infer<typeof baselineSchema>>;
const registrySchema = z.strictObject({
  $comment: z.string().optional(),
  version: z.literal(1),
  baselines: z.array(baselineSchema),
});

export interface ExternalRegistry {
  readonly folder: string;
  readonly baselines: readonly Baseline[];
}

export async function readRegistry(assetsFolder: string): Promise<ExternalRegistry> {
  const folder = join(assetsFolder, 'external');
  const parsed = registrySchema.parse(JSON.parse(await readFile(join(folder, 'registry.json'), 'utf8')));
  return { folder, baselines: parsed.baselines };
}

/** Those asked for, in their order. Throws BraggError 'invalid' for an id that is not registered. */
export function chooseBaselines({ baselines }: ExternalRegistry, ids: readonly string[]): readonly Baseline[] {
  return ids.map((id) => {
    const found = baselines.find((one) => one.id === id);
    if (found !== undefined) return found;
    const allowed = baselines.map((one) => one.id).join(', ');
    throw new BraggError('invalid', `the program ${JSON.stringify(id)} is not registered; allowed: ${allowed}`);
  });
}
