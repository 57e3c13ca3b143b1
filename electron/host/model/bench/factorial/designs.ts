/** Which variants have which optimisations: the designs of `assets/factorials.json`. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { factorSchema } from '../../../../contract/bench/factorial.ts';
import { workloadSchema } from '../../../../contract/workload.ts';

/** `precision`: the variant in this one, as a label of a session asks for it. */
const cellSchema = z.strictObject({ with: z.array(z.string()), variant: z.string(), precision: z.string().optional() });

const designSchema = z.strictObject({
  id: z.string(),
  workload: workloadSchema,
  /** Empty for a workload that has one benchmark. */
  bench: z.string(),
  title: z.string(),
  factors: z.array(factorSchema).min(2).max(4),
  cells: z.array(cellSchema).min(3),
  /** Why no variant has all of these and none of those. */
  absent: z
    .array(z.strictObject({ with: z.array(z.string()), without: z.array(z.string()).default([]), reason: z.string() }))
    .default([]),
});
export type FactorialDesign = Readonly<z.infer<typeof designSchema>>;

const fileSchema = z.strictObject({ version: z.literal(1), designs: z.array(designSchema) });

export async function readDesigns(assetsFolder: string): Promise<readonly FactorialDesign[]> {
  return fileSchema.parse(JSON.parse(await readFile(path.join(assetsFolder, 'factorials.json'), 'utf8'))).designs;
}

interface BenchName {
  readonly workload: string;
  /** Empty for a workload that has one benchmark. */
  readonly bench: string;
}

/** Those of one benchmark. */
export function designsOf(
  designs: readonly FactorialDesign[],
  { workload, bench }: BenchName,
): readonly FactorialDesign[] {
  return designs.filter((design) => design.workload === workload && design.bench === bench);
}

/** Every set of factors, fewest first and in their order. */
export function combinations(factors: readonly { readonly id: string }[]): readonly (readonly string[])[] {
  const all: (readonly string[])[] = [[]];
  for (const { id } of factors) all.push(...all.map((set) => [...set, id]));
  return all.sort((a, b) => a.length - b.length);
}

export const sameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one) => b.includes(one));

/** Why a combination has no variant; null where none of the design's reasons is about it. */
export function absenceOf({ absent }: FactorialDesign, set: readonly string[]): string | null {
  const found = absent.find(
    (one) => one.with.every((id) => set.includes(id)) && !one.without.some((id) => set.includes(id)),
  );
  return found?.reason ?? null;
}

const labelOf = ({ variant, precision }: FactorialDesign['cells'][number]): string =>
  precision === undefined ? variant : `${variant}@${precision}`;

/** A design that a machine can measure something of. */
interface RunnableDesign {
  readonly id: string;
  readonly title: string;
  readonly device: 'cpu' | 'cuda';
  /** As a session asks for them: `gather@fp64` where a cell asks for a precision. */
  readonly labels: readonly string[];
}

interface Known extends BenchName {
  readonly id: string;
  readonly available: boolean;
  readonly device: 'cpu' | 'cuda';
}

/** Those of a benchmark's designs of which two variants that differ in one factor can run. */
export async function runnableDesigns(
  assetsFolder: string,
  place: BenchName,
  variants: readonly Known[],
): Promise<{ readonly known: readonly FactorialDesign[]; readonly able: readonly RunnableDesign[] }> {
  const known = await readDesigns(assetsFolder);
  const runs = new Map(
    variants
      .filter((one) => one.workload === place.workload && one.bench === place.bench && one.available)
      .map(({ id, device }) => [id, device]),
  );
  const able = designsOf(known, place).flatMap(({ id, title, cells }): RunnableDesign[] => {
    const own = cells.filter(({ variant }) => runs.has(variant));
    const differ = own.some((a) =>
      own.some((b) => b.with.length === a.with.length + 1 && a.with.every((one) => b.with.includes(one))),
    );
    const device = runs.get(own[0]?.variant ?? '') ?? 'cpu';
    return differ ? [{ id, title, device, labels: own.map(labelOf) }] : [];
  });
  return { known, able };
}
