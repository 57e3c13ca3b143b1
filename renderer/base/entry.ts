/** Numbers as people type them: with a unit, a decimal comma or an exponent. */
import type { Unit } from '../../electron/domain/values/units.ts';

/** Units that may be typed into a field with another unit of the same kind. The factor converts to the field's unit. */
const factors: Readonly<Record<Unit, Readonly<Record<string, number>>>> = {
  mm: { mm: 1, cm: 10, m: 1000, um: 1e-3, µm: 1e-3, μm: 1e-3 },
  MeV: { mev: 1, kev: 1e-3, gev: 1e3 },
  eV: { ev: 1, kev: 1000 },
  g_cm3: { 'g/cm³': 1, 'g/cm3': 1 },
  mrad: { mrad: 1, rad: 1e3, deg: 1e3 * (Math.PI / 180), '°': 1e3 * (Math.PI / 180) },
  deg: { deg: 1, '°': 1, mrad: 180 / Math.PI / 1e3, rad: 180 / Math.PI },
  A: { a: 1, å: 1, nm: 10, pm: 0.01 },
  um: { um: 1, µm: 1, μm: 1, mm: 1000, nm: 1e-3 },
  Gy: { gy: 1, cgy: 0.01, mgy: 0.001 },
  percent: { '%': 1 },
  '1': { '': 1 },
};

const entryPattern = /^([-+−]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:e[-+]?\d{1,3})?)\s*([a-zµμ°å%]*|g\/cm[3³])$/i;

/**
 * Number in a typed text, in the field's unit; null if the text is not a number. `5 cm` in a field in mm is 50; `70,5`
 * is 70.5.
 */
export function parseEntry(text: string, unit: Unit): number | null {
  const match = entryPattern.exec(text.trim());
  if (match === null) return null;
  const value = Number((match[1] ?? '').replace('−', '-').replace(',', '.'));
  const typed = (match[2] ?? '').toLowerCase();
  const factor = typed === '' ? 1 : factors[unit][typed];
  if (factor === undefined || !Number.isFinite(value)) return null;
  // Rounded because 5 × 0.001 would be 0.005000000000000001.
  return factor === 1 ? value : Number((value * factor).toPrecision(12));
}

/**
 * Step of the arrow keys: one unit of the second significant digit, so 70 changes by 1 and 0.2 by 0.01. `coarse` is ten
 * times as large, `fine` a tenth.
 */
export function arrowStep(value: number, size: 'normal' | 'coarse' | 'fine', whole: boolean): number {
  const magnitude = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)) + 1e-9);
  const factor = size === 'coarse' ? 1 : size === 'fine' ? -1 : 0;
  const step = 10 ** (magnitude - 1 + factor);
  return whole ? Math.max(1, Math.round(step)) : step;
}

interface EntryBounds {
  readonly min: number;
  readonly max: number;
  readonly whole: boolean;
}

type StepSize = 'normal' | 'coarse' | 'fine';

/** `value` moved by one step and rounded to the step, within the bounds. */
export function nudge(value: number, direction: 1 | -1, size: StepSize, bounds: EntryBounds): number {
  const step = arrowStep(value, size, bounds.whole);
  const next = Number(((Math.round(value / step) + direction) * step).toPrecision(12));
  return Math.min(bounds.max, Math.max(bounds.min, next));
}

/** `value` moved by several steps. The step size is recomputed from the value before each step. */
export function moveBySteps(value: number, steps: number, size: StepSize, bounds: EntryBounds): number {
  let at = value;
  for (let left = Math.abs(steps); left > 0; left -= 1) at = nudge(at, steps > 0 ? 1 : -1, size, bounds);
  return at;
}
