/**
 * Parses the words of a command line to flags, values and operands. No library is used: commander accepts repeated
 * flags silently and does not list allowed values. Also defines the flag `--gpu`, which selects the GPU for runs, and
 * `--sweep path=v,w,…` or `path=first..last/count`. A sweep runs one scenario per value; `path+path=…` sets several
 * fields to the same value.
 */
import { suggestSimilarWord } from '../contract/scenario/index.ts';
import { type Override, parseOverride } from '../host/api/scenarios.ts';

export interface FlagSpec {
  /** Long name without the leading dashes. */
  readonly name: string;
  /** Placeholder for the value in help texts; absent for a switch. */
  readonly value?: string;
  readonly repeats?: boolean;
  /** One-letter form, such as `o` for `-o`. */
  readonly short?: string;
  readonly help: string;
}

export const jsonFlag: FlagSpec = { name: 'json', help: 'Print one JSON document instead of text.' };

/** Creates the flag --set. `help` is one sentence on its effect in a verb. */
export const setFlag = (help: string): FlagSpec => ({
  ...{ name: 'set', value: 'path=value', repeats: true },
  help: `${help} Repeats.`,
});

export interface ParsedArguments {
  readonly operands: readonly string[];
  /** Values of each given flag, in their order. The value of a switch is empty. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
}

/** Error in the command line. The message contains the allowed values. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The short form is `-h`, because users try it first. */
const helpFlag: FlagSpec = { name: 'help', short: 'h', help: 'Show this help.' };

export function withHelp(specs: readonly FlagSpec[]): readonly FlagSpec[] {
  return [...specs, helpFlag];
}

function flagSpecFor(word: string, specs: readonly FlagSpec[]): FlagSpec {
  const found = specs.find(({ name, short }) => word === `--${name}` || (short !== undefined && word === `-${short}`));
  if (found !== undefined) return found;
  const known = specs.map((spec) => spec.name);
  const near = suggestSimilarWord(word.replace(/^-+/, ''), known);
  const hint = near === null ? '' : ` (did you mean --${near}?)`;
  throw new UsageError(`${word} is not a known flag${hint}; allowed: ${known.map((one) => `--${one}`).join(', ')}`);
}

/** Parses `--flag value`, `--flag=value`, switches, and `--`, after which operands may begin with a dash. */
export function parseArguments(words: readonly string[], own: readonly FlagSpec[]): ParsedArguments {
  const specs = withHelp(own);
  const operands: string[] = [];
  const flags = new Map<string, string[]>();
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      operands.push(...rest.splice(0));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      operands.push(word);
      continue;
    }
    const equals = word.indexOf('=');
    const spec = flagSpecFor(equals < 0 ? word : word.slice(0, equals), specs);
    const values = flags.get(spec.name) ?? [];
    values.push(takeValue(spec, equals < 0 ? null : word.slice(equals + 1), rest));
    flags.set(spec.name, values);
    if (values.length > 1 && spec.repeats !== true) throw new UsageError(`--${spec.name} may be given only once`);
  }
  return { operands, flags };
}

function takeValue(spec: FlagSpec, attached: string | null, rest: string[]): string {
  if (spec.value === undefined) {
    if (attached !== null) throw new UsageError(`--${spec.name} takes no value, but got ${JSON.stringify(attached)}`);
    return '';
  }
  const value = attached ?? rest.shift();
  if (value === undefined) throw new UsageError(`--${spec.name} needs a value: --${spec.name} ${spec.value}`);
  return value;
}

/**
 * List flag directly before `operand`, as in `--variants window depth`, where a comma was probably intended. Null if
 * there is none.
 */
export function listFlagBefore(
  words: readonly string[],
  operand: string,
  specs: readonly FlagSpec[],
): { readonly name: string; readonly value: string } | null {
  const at = words.indexOf(operand);
  const [flag = '', value = ''] = words.slice(at - 2, at);
  const spec = at < 2 ? undefined : specs.find(({ name }) => flag === `--${name}`);
  return spec?.value?.includes(',') === true ? { name: spec.name, value } : null;
}

/** Value of a flag that may be given once. */
export function flagValue({ flags }: ParsedArguments, name: string): string | undefined {
  return flags.get(name)?.at(-1);
}

/**
 * Value of a flag with a fixed set of values; the first allowed value if the flag is absent. Throws UsageError for
 * other values.
 */
export function flagOneOf<T extends string>(parsed: ParsedArguments, name: string, allowed: readonly [T, ...T[]]): T {
  const given = flagValue(parsed, name);
  const found = allowed.find((one) => one === (given ?? allowed[0]));
  if (found === undefined) throw new UsageError(`--${name} ${given} is not known; allowed: ${allowed.join(', ')}`);
  return found;
}

export function hasFlag({ flags }: ParsedArguments, name: string): boolean {
  return flags.has(name);
}

/** Parses the value of a flag as a number from `min` to `max`. Throws UsageError. */
export function flagNumber(
  parsed: ParsedArguments,
  name: string,
  { min, max, whole = false }: { readonly min: number; readonly max: number; readonly whole?: boolean },
): number | undefined {
  const text = flagValue(parsed, name);
  if (text === undefined) return undefined;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= min && value <= max && (!whole || Number.isInteger(value))) return value;
  const kind = whole ? 'a whole number, ' : '';
  throw new UsageError(`--${name}: ${JSON.stringify(text)} is not allowed; allowed: ${kind}${min} to ${max}`);
}

const secondsPerUnit = { s: 1, min: 60, m: 60, h: 3600 } as const;

/** Parses the value of a flag as a duration and converts it to seconds: `90`, `90s`, `5m`, `1h`. Throws UsageError. */
export function flagSeconds(parsed: ParsedArguments, name: string, max: number): number | undefined {
  const text = flagValue(parsed, name);
  if (text === undefined) return undefined;
  const [, digits = '', unit = 's'] = /^(\d+(?:\.\d+)?|\.\d+) ?(s|min|m|h)?$/.exec(text.trim()) ?? [];
  const seconds = digits === '' ? Number.NaN : Number(digits) * secondsPerUnit[unit as keyof typeof secondsPerUnit];
  if (seconds <= max) return seconds;
  throw new UsageError(
    `--${name}: ${JSON.stringify(text)} is not allowed; allowed: 0 to ${max} seconds, such as 90, 90s, 5m or 1h`,
  );
}

/**
 * Parses the value of a flag as a comma-separated list. Null if the flag is absent. Throws UsageError for an empty
 * entry.
 */
export function listFlag(parsed: ParsedArguments, flag: string): readonly string[] | null {
  const list = flagValue(parsed, flag);
  if (list === undefined) return null;
  const ids = list.split(',').map((id) => id.trim());
  if (ids.some((id) => id === ''))
    throw new UsageError(`--${flag}: ${JSON.stringify(list)} has an empty entry; allowed: names separated by commas`);
  return ids;
}

export const gpuFlag: FlagSpec = {
  name: 'gpu',
  value: 'INDEX|UUID',
  help: 'GPU to use, as listed by braggbench devices; the first usable one by default.',
};

interface Sweep {
  readonly path: string;
  readonly values: readonly number[];
  /** Overrides of the scenario for each value of the sweep. */
  readonly overrides: readonly (readonly Override[])[];
}

const MAX_VALUES = 1_000_000;
const RANGE = /^([^.]+(?:\.\d+)?)\.\.(.+)\/(\d+)$/;

/** Parses `first..last/count` to evenly spaced values; null if the text has another form. */
function parseRange(text: string): readonly number[] | null {
  const [, first = '', last = '', count = ''] = RANGE.exec(text.trim()) ?? [];
  if (count === '') return null;
  const [from, to, n] = [Number(first), Number(last), Number(count)];
  if (!Number.isFinite(from) || !Number.isFinite(to)) return null;
  if (n < 2 || n > MAX_VALUES) throw new UsageError(`--sweep: ${n} values; allowed: 2 to ${MAX_VALUES}`);
  return Array.from({ length: n }, (_, i) => (i === n - 1 ? to : from + ((to - from) * i) / (n - 1)));
}

/** Parses the value of --sweep. Throws UsageError with the allowed forms. */
export function parseSweep(text: string): Sweep {
  const equals = text.indexOf('=');
  const allowed = 'allowed: path=number,number,… as in grid.dx_mm=1,0.5,0.25, or path=first..last/count';
  if (equals < 1) throw new UsageError(`--sweep: ${JSON.stringify(text)} has no path; ${allowed}`);
  const path = text.slice(0, equals).trim();
  const listed = text.slice(equals + 1);
  const values =
    parseRange(listed) ?? listed.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
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
