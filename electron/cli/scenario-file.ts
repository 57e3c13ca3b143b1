/** Operands that name a scenario, and what --set and --variant change in it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { formatPath, scenarioKindNames, suggest } from '../contract/scenario/index.ts';
import type { TransportVariant as Variant } from '../host/io/addon/addon.ts';
import { type Override, parseOverride, type Reading } from '../host/workloads/scenarios/index.ts';
import { type ParsedArguments, UsageError } from './arguments.ts';
import { assetsFolder } from './assets-folder.ts';

/** Shipped scenarios stand in a folder of their kind; the first kind's, in none. */
const shippedFolders = ['', ...scenarioKindNames];

/** A file as given, or a scenario that comes with the program by its name. */
export function scenarioPath(operand: string): string {
  if (existsSync(operand)) return operand;
  if (!/^[\w.-]+$/.test(operand)) return operand;
  const name = `${operand.replace(/\.json$/, '')}.json`;
  const shipped = shippedFolders.map((folder) => join(assetsFolder(), 'scenarios', folder, name));
  return shipped.find((file) => existsSync(file)) ?? operand;
}

/** The overrides that --set gives, in order. Throws a UsageError. */
export function overridesOf({ flags }: ParsedArguments): readonly Override[] {
  return (flags.get('set') ?? []).map((text) => {
    const override = parseOverride(text);
    if (typeof override === 'string') throw new UsageError(`--set: ${override}`);
    return override;
  });
}

const isSet = (overrides: readonly Override[], path: string): boolean =>
  overrides.some((override) => formatPath(override.path) === path);

/**
 * What --variant adds: the variant, and the stepping and precision that it
 * offers where the scenario asks for another that --set does not insist on.
 * `notes` says so.
 */
export function variantOverrides(
  id: string,
  reading: Reading,
  given: readonly Override[],
  variants: readonly Variant[],
): { readonly overrides: readonly Override[]; readonly notes: readonly string[] } {
  const variant = variants.find((one) => one.id === id);
  if (variant === undefined && id !== 'auto') {
    const known = ['auto', ...variants.map((one) => one.id)];
    const near = suggest(id, known);
    const hint = near === null ? '' : ` (did you mean ${near}?)`;
    throw new UsageError(`--variant: ${JSON.stringify(id)} is not known${hint}; allowed: ${known.join(', ')}`);
  }
  const overrides: Override[] = [{ path: ['solver', 'variant'], value: id }];
  const notes: string[] = [];
  const solver = reading.scenario?.solver;
  if (variant === undefined || solver === undefined) return { overrides, notes };
  const [stepping] = variant.steppings;
  if (stepping !== undefined && !variant.steppings.includes(solver.stepping) && !isSet(given, 'solver.stepping')) {
    overrides.push({ path: ['solver', 'stepping'], value: stepping });
    notes.push(`${id} offers ${stepping} stepping only: solver.stepping is ${stepping} in this run`);
  }
  const [precision] = variant.precisions;
  if (precision !== undefined && !variant.precisions.includes(solver.precision) && !isSet(given, 'solver.precision')) {
    overrides.push({ path: ['solver', 'precision'], value: precision });
    notes.push(`${id} offers ${precision} only: solver.precision is ${precision} in this run`);
  }
  return { overrides, notes };
}
