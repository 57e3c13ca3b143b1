/**
 * Decisions of a reader about the fields of a format's header. A field may change where the data is, its type, order,
 * scale, unit, validity or meaning. Such a field is honoured, or refused by its name and value. Others are ignored for a
 * stated reason.
 */
import { BraggError } from '../../../contract/errors.ts';

export type FieldRule =
  | { readonly kind: 'honoured' }
  /** Refused unless `accepts`; `allowed` completes the message. */
  | { readonly kind: 'only'; readonly allowed: string; readonly accepts: (value: string) => boolean }
  | { readonly kind: 'ignored'; readonly because: string };

/** By name in lower case. */
export type FieldRules = Readonly<Record<string, FieldRule>>;

export const honoured: FieldRule = { kind: 'honoured' };
export const ignored = (because: string): FieldRule => ({ kind: 'ignored', because });
export const only = (allowed: string, accepts: (value: string) => boolean): FieldRule => ({
  kind: 'only',
  allowed,
  accepts,
});
export const oneOf = (...values: readonly string[]): FieldRule => {
  const known = values.map((value) => value.toLowerCase());
  return only(values.join(', '), (value) => known.includes(value.toLowerCase()));
};
/** A field that no file that is read may have. */
export const absent = only('absent', () => false);

/** `file`: empty where the caller names it. */
export const foreign = (file: string, what: string): BraggError =>
  new BraggError('foreign-file', file === '' ? what : `${file}: ${what}.`);

interface HeaderField {
  /** As the file writes it. */
  readonly name: string;
  readonly value: string;
}

/** One line of a header is a field: a reader that skips a line may skip a field that moves the data. */
export function fieldIn(file: string, line: string, form: RegExp, written: string): HeaderField {
  const [, name, value = ''] = form.exec(line) ?? [];
  if (name === undefined) {
    throw foreign(file, `its header has the line ${JSON.stringify(line.slice(0, 60))}; allowed: ${written}`);
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
      throw foreign(file, `its header has the unknown field ${name} = ${value.slice(0, 60)}`);
    }
    if (rule?.kind === 'only' && !rule.accepts(value)) {
      throw foreign(file, `${name} = ${value.slice(0, 60)} is not supported; allowed: ${rule.allowed}`);
    }
    if (rule !== undefined && rule.kind !== 'ignored' && found.has(key)) {
      throw foreign(file, `${name} is in its header more than once`);
    }
    found.set(key, value);
  }
  return found;
}
