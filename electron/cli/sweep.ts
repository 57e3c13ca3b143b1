/** `--sweep path=v,w,…`: one value of the scenario, tried in turn; `path+path=…` sets several alike. */
import { type Override, parseOverride } from '../host/workloads/scenarios/index.ts';
import { UsageError } from './arguments.ts';

export interface Sweep {
  readonly path: string;
  readonly values: readonly number[];
  /** What each value changes. */
  readonly overrides: readonly (readonly Override[])[];
}

/** Throws a UsageError that says what is allowed. */
export function parseSweep(text: string): Sweep {
  const equals = text.indexOf('=');
  const allowed = 'allowed: path=number,number,… as in grid.dx_mm=1,0.5,0.25';
  if (equals < 1) throw new UsageError(`--sweep: ${JSON.stringify(text)} has no path; ${allowed}`);
  const path = text.slice(0, equals).trim();
  const parts = text.slice(equals + 1).split(',');
  const values = parts.map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (values.some((value) => !Number.isFinite(value))) {
    throw new UsageError(`--sweep: ${JSON.stringify(text.slice(equals + 1))} is not a list of numbers; ${allowed}`);
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
