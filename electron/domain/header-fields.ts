/**
 * Rules by which a file reader treats the fields of a header. A field that affects the data (location, type, order,
 * scale, unit, validity or meaning) is either used or rejected with its name and value. All other fields are ignored,
 * with a stated reason.
 */
import { BraggError } from '../contract/errors.ts';

interface HonouredField {
  readonly kind: 'honoured';
}
interface IgnoredField {
  readonly kind: 'ignored';
  readonly because: string;
}

export type FieldRule =
  | HonouredField
  /** The field is rejected unless `accepts` returns true. `allowed` is the last part of the message. */
  | { readonly kind: 'only'; readonly allowed: string; readonly accepts: (value: string) => boolean }
  | IgnoredField;

/** Rules by lower-case field name. */
export type FieldRules = Readonly<Record<string, FieldRule>>;

/**
 * Names of the fields that a reader must use. With this type, the compiler checks that it uses all of them and no
 * others.
 */
export type HonouredFieldName<R extends FieldRules> = keyof {
  [Name in keyof R as R[Name] extends HonouredField ? Name : never]: true;
};

export const honoured: HonouredField = { kind: 'honoured' };
export const ignoredField = (because: string): IgnoredField => ({ kind: 'ignored', because });
export const allowOnly = (allowed: string, accepts: (value: string) => boolean): FieldRule => ({
  kind: 'only',
  allowed,
  accepts,
});
export const oneOf = (...values: readonly string[]): FieldRule => {
  const known = values.map((value) => value.toLowerCase());
  return allowOnly(values.join(', '), (value) => known.includes(value.toLowerCase()));
};
const rejectAny = (): boolean => false;
/** Rule for a field that a file must not contain. `why` is the last part of the message. */
export const forbiddenField = (why: string): FieldRule => allowOnly(`absent: ${why}`, rejectAny);
export const absent = allowOnly('absent', rejectAny);
export const mayBeAbsent = (rule: FieldRule): boolean => rule.kind === 'only' && rule.accepts === rejectAny;

/** Error about a file. An empty `file` leaves adding the name to the caller. */
export const foreignFileError = (file: string, what: string): BraggError =>
  new BraggError('foreign-file', file === '' ? what : `${file}: ${what}.`);

interface HeaderField {
  /** Name as written in the file. */
  readonly name: string;
  readonly value: string;
}

/**
 * Parses a header line as a field. Unknown lines are errors, because ignoring one could miss a field that affects the
 * data.
 */
export function parseHeaderField(file: string, line: string, form: RegExp, written: string): HeaderField {
  const [, name, value = ''] = form.exec(line) ?? [];
  if (name === undefined) {
    throw foreignFileError(
      file,
      `its header contains the line ${JSON.stringify(line.slice(0, 60))}; allowed: ${written}`,
    );
  }
  return { name: name.trim(), value: value.trim() };
}

/**
 * Checks all fields of a header against their rules and returns them by lower-case name. Throws BraggError
 * `foreign-file`.
 */
export function checkFields(
  file: string,
  fields: readonly HeaderField[],
  rules: FieldRules,
  unknown: 'ignored' | 'refused',
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { name, value } of fields) {
    const key = name.toLowerCase();
    const rule = rules[key];
    if (rule === undefined && unknown === 'refused') {
      throw foreignFileError(file, `its header has the unknown field ${name} = ${value.slice(0, 60)}`);
    }
    if (rule?.kind === 'only' && !rule.accepts(value)) {
      throw foreignFileError(file, `${name} = ${value.slice(0, 60)} is not supported; allowed: ${rule.allowed}`);
    }
    if (rule !== undefined && rule.kind !== 'ignored' && found.has(key)) {
      throw foreignFileError(file, `${name} is in its header more than once`);
    }
    found.set(key, value);
  }
  return found;
}
