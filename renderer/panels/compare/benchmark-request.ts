/** Converts the selections in the Compare form to the labels of a benchmark. No React. */

import { type ExternalProgram, variantLabel } from '../../../electron/contract/bench/benches.ts';
import type { Variant } from '../../../electron/contract/capabilities.ts';
import type { Precision } from '../../../electron/contract/run.ts';

interface SweepRequest {
  readonly path: string;
  readonly values: readonly number[];
}

/** Parses `grid.dx_mm=1,0.5,0.25`. Returns null for empty text and an error message for invalid text. */
export function parseSweep(text: string): SweepRequest | string | null {
  if (text.trim() === '') return null;
  const allowed = 'allowed: a parameter and numbers, as in grid.dx_mm=1,0.5,0.25';
  const [path = '', list = '', ...more] = text.split('=');
  const parts = list.split(',').map((part) => part.trim());
  const values = parts.map((part) => (part === '' ? Number.NaN : Number(part)));
  if (more.length > 0 || !/^[A-Za-z_][\w.[\]]*$/.test(path.trim()))
    return `${JSON.stringify(text)} names no parameter; ${allowed}`;
  if (!values.every(Number.isFinite)) return `${JSON.stringify(text)} has no list of numbers; ${allowed}`;
  return { path: path.trim(), values };
}

/** Parses `1500` or `1500 MHz`. Returns null for empty text and an error message for invalid text. */
export function parseClockLock(text: string): number | string | null {
  if (text.trim() === '') return null;
  const [, digits = ''] = /^(\d{1,5})(?: ?MHz)?$/i.exec(text.trim()) ?? [];
  const MHz = Number(digits);
  if (MHz >= 1 && MHz <= 10_000) return MHz;
  return `${JSON.stringify(text)} is not a clock rate; allowed: 1 to 10000 MHz, as in 1500`;
}

interface SelectedConditions {
  /** Ids in order of selection; the first is the reference. */
  readonly variants: readonly string[];
  readonly precisions: readonly Precision[];
  readonly gpus: readonly number[];
}

/** Labels of variants × precisions × GPUs, as far as each variant supports them. */
export function benchmarkLabels(
  { variants, precisions, gpus }: SelectedConditions,
  known: readonly Variant[],
): readonly string[] {
  // If every variant has a single precision, labels omit it.
  const choice = known.some((one) => one.precisions.length > 1);
  return variants.flatMap((id) => {
    const variant = known.find((one) => one.id === id);
    if (variant === undefined || !variant.available) return [];
    const wanted = precisions.filter((precision) => variant.precisions.includes(precision));
    // Add the precision to the labels only if there is a choice of precisions.
    const each: readonly (Precision | null)[] = precisions.length === 0 || !choice ? [null] : wanted;
    const devices: readonly (number | null)[] = variant.device === 'cpu' || gpus.length === 0 ? [null] : gpus;
    return each.flatMap((precision) => devices.map((device) => variantLabel(id, precision, device)));
  });
}

/**
 * Tooltip of the start button. `forecast`: false until the run times are estimated, from which the suggested variants
 * follow.
 */
export function benchmarkTitle(labels: readonly string[], forecast: boolean): string {
  if (labels.length > 0) return `Benchmark ${labels.join(', ')} on the scenario in the form`;
  return forecast ? 'Tick the variants to benchmark' : 'Estimating run times; then the variants that fit are ticked';
}

/** Selected programs that solve the scenario, in order of selection; id=FILE if the user named a file. */
export function requestedPrograms(
  { external, files }: { readonly external: readonly string[]; readonly files: Readonly<Record<string, string>> },
  programs: readonly Pick<ExternalProgram, 'id' | 'file'>[],
): readonly string[] {
  return external.flatMap((id) => {
    const found = programs.find((one) => one.id === id);
    if (found === undefined) return [];
    const own = files[id]?.trim() ?? '';
    if (found.file === null || own === '') return found.file !== null && found.file.named === null ? [] : [id];
    return [`${id}=${own}`];
  });
}
