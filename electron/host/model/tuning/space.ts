/**
 * Search space of a variant: all combinations of its tunables' values that meet the conditions. The search spaces of
 * shipped variants are in assets/tunables, one file per workload.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { BraggError } from '../../../contract/errors.ts';
import {
  type Expression,
  ExpressionError,
  isTrue,
  MAX_POINTS,
  parseExpression,
} from '../../../contract/study/index.ts';
import { type Configuration, searchSpaceShape, type Tunable } from '../../../contract/tuning/configured.ts';
import { workloadSchema } from '../../../contract/workload.ts';

const shippedSpaceSchema = z.strictObject({
  workload: workloadSchema,
  bench: z.string().default(''),
  /** Variants to which the constants apply. */
  variants: z.array(z.string()).min(1),
  /** Source file that contains the constants. */
  file: z.string(),
  ...searchSpaceShape,
});
export type ShippedSpace = Readonly<z.infer<typeof shippedSpaceSchema>>;

/** Content of a file in assets/tunables. */
const shippedSpacesSchema = z.strictObject({ spaces: z.array(shippedSpaceSchema) });

export interface Space {
  readonly variant: string;
  /** File that contains the constants: a shipped source, or the user's file. */
  readonly file: string;
  readonly tunables: readonly Tunable[];
  readonly conditions: readonly string[];
  /** Present values of the constants in the source. */
  readonly usual: Configuration;
}

function parseConditions({ conditions, variant }: Space): readonly Expression[] {
  return conditions.map((text) => {
    try {
      return parseExpression(text);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      throw new BraggError('invalid', `${variant}: the condition ${JSON.stringify(text)}: ${error.message}`);
    }
  });
}

/**
 * First condition that a configuration does not meet; null if it meets all. Throws BraggError `invalid` for a condition
 * that cannot be evaluated.
 */
function findViolatedCondition(
  conditions: readonly Expression[],
  configuration: Configuration,
  variant: string,
): string | null {
  for (const condition of conditions) {
    try {
      if (!isTrue(condition, configuration)) return condition.text;
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      throw new BraggError('invalid', `${variant}: the condition ${JSON.stringify(condition.text)}: ${error.message}`);
    }
  }
  return null;
}

/**
 * All configurations that meet the conditions. The last tunable varies fastest. Throws BraggError `invalid` for invalid
 * conditions.
 */
export function listConfigurations(space: Space): readonly Configuration[] {
  const { tunables, variant } = space;
  const count = tunables.reduce((product, { values }) => product * values.length, 1);
  if (count > MAX_POINTS)
    throw new BraggError('invalid', `${variant}: ${count} configurations are too many; allowed: ${MAX_POINTS}`);
  const conditions = parseConditions(space);
  const all: Configuration[] = [];
  for (let i = 0; i < count; i += 1) {
    let rest = i;
    const entries = tunables.toReversed().map(({ name, values }) => {
      const value = values[rest % values.length] ?? 0;
      rest = Math.floor(rest / values.length);
      return [name, value] as const;
    });
    const configuration = Object.fromEntries(entries.reverse());
    if (findViolatedCondition(conditions, configuration, variant) === null) all.push(configuration);
  }
  return all;
}

/**
 * Completes a configuration with the source's values of the tunables that it lacks. Throws BraggError `invalid` with
 * the allowed values.
 */
export function completeConfiguration(space: Space, given: Configuration): Configuration {
  const { tunables, usual, variant } = space;
  for (const [name, value] of Object.entries(given)) {
    const tunable = tunables.find((one) => one.name === name);
    if (tunable === undefined) {
      const names = tunables.map((one) => one.name).join(', ');
      throw new BraggError('invalid', `${variant} has no tunable ${name}; allowed: ${names === '' ? 'none' : names}`);
    }
    if (!tunable.values.includes(value))
      throw new BraggError('invalid', `${variant}: ${name} = ${value}; allowed: ${tunable.values.join(', ')}`);
  }
  const configuration = Object.fromEntries(tunables.map(({ name }) => [name, given[name] ?? usual[name] ?? 0]));
  const condition = findViolatedCondition(parseConditions(space), configuration, variant);
  if (condition !== null) throw new BraggError('invalid', `${variant}: ${condition} does not hold`);
  return configuration;
}

/** Reads the search spaces of all shipped variants. Throws if a file is damaged. */
export async function readShippedSpaces(assetsFolder: string): Promise<readonly ShippedSpace[]> {
  const folder = path.join(assetsFolder, 'tunables');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  const files = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
  return files.flatMap((text) => shippedSpacesSchema.parse(JSON.parse(text)).spaces);
}
