/** Small studies in a folder of their own: what tests of `braggbench study` share. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { z } from 'zod';
import { braggbenchHere, type Ended, environmentWith } from './command.ts';

let folder: string;
export const inFolder = (...names: readonly string[]): string => path.join(folder, ...names);
export const options = () => ({ cwd: folder, environment: environmentWith(inFolder('home')) });
export const call = (...words: readonly string[]): Promise<Ended> => braggbenchHere(['study', ...words], options());

export const small = {
  kind: 'transport',
  version: 1,
  beam: {},
  grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 40, theta_max_mrad: 320 },
  solver: { stepping: 'depth', variant: 'depth', threads: 1 },
};

/** A study of the small beam over energies, in a file of its own. */
export async function study(name: string, values: readonly unknown[], more: Readonly<Record<string, unknown>> = {}) {
  const document = {
    ...{ kind: 'study', version: 1, base: [{ file: 'small.json' }] },
    axes: [{ kind: 'list', path: 'beam.energy_MeV', values }],
    ...more,
  };
  await writeFile(inFolder(name), JSON.stringify(document));
  return name;
}
export const energies = (count: number, from = 20): readonly number[] =>
  Array.from({ length: count }, (_, i) => from + i / 8);

export async function results(name: string): Promise<readonly string[]> {
  const all = await readdir(inFolder(name, 'results'), { recursive: true }).catch(() => []);
  return all.filter((file) => /[0-9a-f]{16}(\.failed)?\.json$/.test(file)).toSorted();
}

const outcomeSchema = z.looseObject({
  ...{ before: z.number(), done: z.number(), failed: z.number(), left: z.number() },
  end: z.string(),
});
export async function run(...words: readonly string[]) {
  const { code, stdout, stderr } = await call(...words, '--json');
  return { code, stderr, ...outcomeSchema.parse(JSON.parse(stdout)) };
}

const tableSchema = z.looseObject({
  columns: z.array(z.looseObject({ name: z.string(), unit: z.string() })),
  rows: z.array(z.array(z.union([z.number(), z.string(), z.null()]))),
  missing: z.number(),
  damaged: z.array(z.string()),
  notes: z.array(z.string()),
});
export async function table(name: string) {
  const found = tableSchema.parse(JSON.parse((await call('collect', name, '--json')).stdout));
  const column = (title: string) => {
    const at = found.columns.findIndex((one) => one.name === title);
    expect(at, title).toBeGreaterThanOrEqual(0);
    return found.rows.map((row) => row[at] ?? null);
  };
  return { ...found, column };
}

/** Call at the top of a test file. */
export function useStudies(): void {
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'braggbench-study-'));
    await writeFile(inFolder('small.json'), JSON.stringify(small));
  });
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
}
