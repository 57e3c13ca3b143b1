/** `--sweep path=v,w,…` or `path=first..last/count`: one value of the scenario, tried in turn; `path+path=…` sets several alike. */
import { type Override, parseOverride } from '../host/workloads/scenarios/index.ts';
import { UsageError } from './arguments.ts';

interface Sweep {
  readonly path: string;
  readonly values: readonly number[];
  /** Overrides for each value. */
  readonly overrides: readonly (readonly Override[])[];
}

const MOST_VALUES = 1_000_000;
const RANGE = /^([^.]+(?:\.\d+)?)\.\.(.+)\/(\d+)$/;

/** Values evenly from the first to the last; null for a text that is no range. */
function rangeOf(text: string): readonly number[] | null {
  const [, first = '', last = '', count = ''] = RANGE.exec(text.trim()) ?? [];
  if (count === '') return null;
  const [from, to, n] = [Number(first), Number(last), Number(count)];
  if (!Number.isFinite(from) || !Number.isFinite(to)) return null;
  if (n < 2 || n > MOST_VALUES) throw new UsageError(`--sweep: ${n} values; allowed: 2 to ${MOST_VALUES}`);
  return Array.from({ length: n }, (_, i) => (i === n - 1 ? to : from + ((to - from) * i) / (n - 1)));
}

/** Throws a UsageError that says what is allowed. */
export function parseSweep(text: string): Sweep {
  const equals = text.indexOf('=');
  const allowed = 'allowed: path=number,number,… as in grid.dx_mm=1,0.5,0.25, or path=first..last/count';
  if (equals < 1) throw new UsageError(`--sweep: ${JSON.stringify(text)} has no path; ${allowed}`);
  const path = text.slice(0, equals).trim();
  const listed = text.slice(equals + 1);
  const values = rangeOf(listed) ?? listed.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (values.some((value) => !Number.isFinite(value))) {
    throw new UsageError(`--sweep: ${JSON.stringify(listed)} is not a list of numbers; ${allowed}`);
  }
  const overrides = values.map((value) =>
    path.split('+').map((one) => {
      const override = parseOverride(`${one.trim()}=${value}`);
      if (typeof override === 'string') throw new UsageError(`--sweep: ${override}`);
      return { ...override, swept: true };
    }),
  );
  return { path, values, overrides };
}
