/** What --variant changes of a transport scenario. */
import { formatPath, suggest } from '../../../contract/scenario/index.ts';
import type { Override } from '../../../host/workloads/scenarios/index.ts';
import { UsageError } from '../../arguments.ts';
import { type Fit, fitByName } from '../../read-scenario.ts';

const isSet = (overrides: readonly Override[], path: string): boolean =>
  overrides.some((override) => formatPath(override.path) === path);

/** The variant, and the stepping and precision that it offers where the scenario asks for another and --set does not insist. */
export const fitTransport: Fit = (id, reading, given, addon) => {
  const variants = addon.variants();
  const variant = variants.find((one) => one.id === id);
  if (variant === undefined && id !== 'auto') {
    const known = ['auto', ...variants.map((one) => one.id)];
    const near = suggest(id, known);
    const hint = near === null ? '' : ` (did you mean ${near}?)`;
    throw new UsageError(`--variant: ${JSON.stringify(id)} is not known${hint}; allowed: ${known.join(', ')}`);
  }
  const overrides = [...fitByName(id, reading, given, addon).overrides];
  const notes: string[] = [];
  const solver = reading.kind === 'transport' ? reading.scenario?.solver : undefined;
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
};
