/**
 * Words of the command line to flags, values and operands. By hand: commander is 39 kB (this with help.ts is 2.5), takes
 * a flag twice in silence, and does not name what is allowed.
 */
import { suggest } from '../contract/scenario/index.ts';

export interface FlagSpec {
  /** Long name without the dashes. */
  readonly name: string;
  /** Name of the value in help; absent for a switch. */
  readonly value?: string;
  readonly repeats?: boolean;
  /** One letter that stands for it, as in `-o`. */
  readonly short?: string;
  readonly help: string;
}

export const jsonFlag: FlagSpec = { name: 'json', help: 'Print one JSON document instead of text.' };

/** `help`: what it changes, one sentence. */
export const setFlag = (help: string): FlagSpec => ({
  ...{ name: 'set', value: 'path=value', repeats: true },
  help: `${help} Repeats.`,
});

export interface ParsedArguments {
  readonly operands: readonly string[];
  /** Values in the order given; a switch that is on has one empty value. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
}

/** A command line that cannot be understood; the message says what is allowed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** People try `-h` before anything else. */
const helpFlag: FlagSpec = { name: 'help', short: 'h', help: 'Show this help.' };

export function withHelp(specs: readonly FlagSpec[]): readonly FlagSpec[] {
  return [...specs, helpFlag];
}

function specFor(word: string, specs: readonly FlagSpec[]): FlagSpec {
  const found = specs.find(({ name, short }) => word === `--${name}` || (short !== undefined && word === `-${short}`));
  if (found !== undefined) return found;
  const known = specs.map((spec) => spec.name);
  const near = suggest(word.replace(/^-+/, ''), known);
  const hint = near === null ? '' : ` (did you mean --${near}?)`;
  throw new UsageError(`${word} is not a known flag${hint}; allowed: ${known.map((one) => `--${one}`).join(', ')}`);
}

/** Understands `--flag value`, `--flag=value`, switches, and `--` before operands that begin with a dash. */
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
    const spec = specFor(equals < 0 ? word : word.slice(0, equals), specs);
    const values = flags.get(spec.name) ?? [];
    values.push(takeValue(spec, equals < 0 ? null : word.slice(equals + 1), rest));
    flags.set(spec.name, values);
    if (values.length > 1 && spec.repeats !== true) throw new UsageError(`--${spec.name} may be given only once`);
  }
  return { operands, flags };
}

function takeValue(spec: FlagSpec, attached: string | null, rest: string[]): string {
  if (spec.value === undefined) {
    if (attached !== null) throw new UsageError(`--${spec.name} takes no value, and got ${JSON.stringify(attached)}`);
    return '';
  }
  const value = attached ?? rest.shift();
  if (value === undefined) throw new UsageError(`--${spec.name} needs a value: --${spec.name} ${spec.value}`);
  return value;
}

/** The flag with a list value directly before `operand`, as in `--variants window depth`; null if there is none. */
export function listBefore(
  words: readonly string[],
  operand: string,
  specs: readonly FlagSpec[],
): { readonly name: string; readonly value: string } | null {
  const at = words.indexOf(operand);
  const [flag = '', value = ''] = words.slice(at - 2, at);
  const spec = at < 2 ? undefined : specs.find(({ name }) => flag === `--${name}`);
  return spec?.value?.includes(',') === true ? { name: spec.name, value } : null;
}

/** The value of a flag that is given at most once. */
export function flagValue({ flags }: ParsedArguments, name: string): string | undefined {
  return flags.get(name)?.at(-1);
}

/** Throws UsageError for a value that is none of those allowed; the first where the flag is not given. */
export function flagOneOf<T extends string>(parsed: ParsedArguments, name: string, allowed: readonly [T, ...T[]]): T {
  const given = flagValue(parsed, name);
  const found = allowed.find((one) => one === (given ?? allowed[0]));
  if (found === undefined) throw new UsageError(`--${name} ${given} is not known; allowed: ${allowed.join(', ')}`);
  return found;
}

export function hasFlag({ flags }: ParsedArguments, name: string): boolean {
  return flags.has(name);
}

/** A number from `min` to `max` given as the value of a flag. Throws a UsageError. */
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

const inSeconds = { s: 1, min: 60, m: 60, h: 3600 } as const;

/** Seconds given as the value of a flag: `90`, `90s`, `5m`, `1h`. Throws a UsageError. */
export function flagSeconds(parsed: ParsedArguments, name: string, max: number): number | undefined {
  const text = flagValue(parsed, name);
  if (text === undefined) return undefined;
  const [, digits = '', unit = 's'] = /^(\d+(?:\.\d+)?|\.\d+) ?(s|min|m|h)?$/.exec(text.trim()) ?? [];
  const seconds = digits === '' ? Number.NaN : Number(digits) * inSeconds[unit as keyof typeof inSeconds];
  if (seconds <= max) return seconds;
  throw new UsageError(
    `--${name}: ${JSON.stringify(text)} is not allowed; allowed: 0 to ${max} seconds, such as 90, 90s, 5m or 1h`,
  );
}

/** Names with commas between them; null where the flag was not given. Throws a UsageError for an empty one. */
export function listed(parsed: ParsedArguments, flag: string): readonly string[] | null {
  const list = flagValue(parsed, flag);
  if (list === undefined) return null;
  const ids = list.split(',').map((id) => id.trim());
  if (ids.some((id) => id === ''))
    throw new UsageError(
      `--${flag}: ${JSON.stringify(list)} has an empty entry; allowed: names with commas between them`,
    );
  return ids;
}
