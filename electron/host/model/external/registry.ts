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
  /** Kinds of scenarios, with the benchmark of those that have several: `micro/elementwise`. */
  solves: z.array(z.string()).min(1),
  /** Its arithmetic; absent where the scenario says it. */
  precision: z.string().optional(),
  /** The first word is looked up in PATH; further ones that name files are relative to the registry's folder. */
  command: z.array(z.string().min(1)).min(1),
  /** Ends with code 0 where the program can run; the last line that it says otherwise is why not. */
  check: z.array(z.string().min(1)).min(1).optional(),
  /** For a program that the user has: the variable that names its file, and what that file is. */
  path: z.strictObject({ variable: z.string(), what: z.string() }).optional(),
});
export type Baseline = Readonly<z.infer<typeof baselineSchema>>;
const registrySchema = z.strictObject({
  $comment: z.string().optional(),
  version: z.literal(2),
  baselines: z.array(baselineSchema),
});

interface ExternalRegistry {
  readonly folder: string;
  readonly baselines: readonly Baseline[];
}

/** Workload and benchmark that programs are registered for. */
export interface Solved {
  readonly workload: string;
  readonly bench: string;
}

export async function readRegistry(assetsFolder: string): Promise<ExternalRegistry> {
  const folder = join(assetsFolder, 'external');
  const parsed = registrySchema.parse(JSON.parse(await readFile(join(folder, 'registry.json'), 'utf8')));
  return { folder, baselines: parsed.baselines };
}

const nameOf = ({ workload, bench }: Solved): string => (bench === '' ? workload : `${workload}/${bench}`);

/** Those that solve its scenarios. */
export const baselinesFor = ({ baselines }: ExternalRegistry, solved: Solved): readonly Baseline[] =>
  baselines.filter(({ solves }) => solves.includes(nameOf(solved)));

/** A requested program, with the file of a user's program; null if no file was named. */
export interface ChosenBaseline {
  readonly baseline: Baseline;
  readonly file: string | null;
}

const fileOf = ({ path }: Baseline): string | null => (path === undefined ? null : process.env[path.variable] || null);

/** Reason why a user's program cannot run; null if it can, or if the program is not the user's. */
export function missingFile({ baseline: { id, path }, file }: ChosenBaseline): string | null {
  if (path === undefined || file !== null) return null;
  return `it is a program of yours: name ${path.what}, by ${id}=FILE or in the variable ${path.variable}`;
}

/**
 * Requested programs in their order: ids, or id=FILE for a user's program. Throws BraggError 'invalid' for an id that
 * is not registered for these scenarios.
 */
export function chooseBaselines(
  registry: ExternalRegistry,
  solved: Solved,
  asked: readonly string[],
): readonly ChosenBaseline[] {
  const able = baselinesFor(registry, solved);
  return asked.map((text) => {
    const at = text.indexOf('=');
    const id = at < 0 ? text : text.slice(0, at);
    const baseline = able.find((one) => one.id === id);
    if (baseline !== undefined) return { baseline, file: at < 0 ? fileOf(baseline) : text.slice(at + 1) };
    const allowed = able.map((one) => one.id).join(', ') || 'none, for no other program solves such scenarios';
    const known = registry.baselines.some((one) => one.id === id);
    const why = known ? `does not solve scenarios of ${nameOf(solved)}` : 'is not registered';
    throw new BraggError('invalid', `the program ${JSON.stringify(id)} ${why}; allowed: ${allowed}`);
  });
}

/** As the registry lists it, with the file that its variable names. */
export const usualChoice = (baseline: Baseline): ChosenBaseline => ({ baseline, file: fileOf(baseline) });
