/**
 * Rules of a reader for the fields of a format's header. A field may change the location, type, order, scale, unit,
 * validity or meaning of the data. Such a field is honoured, or rejected with its name and value. Others are ignored
 * for a stated reason.
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
  /** Rejected unless `accepts` returns true; `allowed` completes the message. */
  | { readonly kind: 'only'; readonly allowed: string; readonly accepts: (value: string) => boolean }
  | IgnoredField;

/** Rules by field name in lower case. */
export type FieldRules = Readonly<Record<string, FieldRule>>;

/** Names of the fields that a reader honours. The type ensures that the reader uses all of them and no others. */
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
/** Rule for a field that must not be in the file. `why` completes the message. */
export const absentAs = (why: string): FieldRule => allowOnly(`absent: ${why}`, rejectAny);
export const absent = allowOnly('absent', rejectAny);
export const mayBeAbsent = (rule: FieldRule): boolean => rule.kind === 'only' && rule.accepts === rejectAny;

/** `file` is empty if the caller adds the name to the message. */
export const foreignFileError = (file: string, what: string): BraggError =>
  new BraggError('foreign-file', file === '' ? what : `${file}: ${what}.`);

interface HeaderField {
  /** Name as written in the file. */
  readonly name: string;
  readonly value: string;
}

/**
 * Parses a header line as a field. Unknown lines are errors, because skipping a line could miss a field that changes
 * the data.
 */
export function fieldIn(file: string, line: string, form: RegExp, written: string): HeaderField {
  const [, name, value = ''] = form.exec(line) ?? [];
  if (name === undefined) {
    throw foreignFileError(
      file,
      `its header contains the line ${JSON.stringify(line.slice(0, 60))}; allowed: ${written}`,
    );
  }
  return { name: name.trim(), value: value.trim() };
}

/** Fields of a header by lower-case name, each checked against its rule. Throws BraggError `foreign-file`. */
export function checkedFields(
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
