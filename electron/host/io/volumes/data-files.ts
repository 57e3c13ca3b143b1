/**
 * Names of the data files in headers of MetaImage and NRRD. A header has one name, the word LIST with names on the
 * lines after it, or a pattern such as `slice%03d.raw 1 40 1`. The files contain equal parts of the data along the
 * slowest axis.
 */
import { foreignFileError } from '../../../domain/header-fields.ts';
import { parseIntegers } from './volume.ts';

/** Maximum number of data files, enough for the slices of any CT. */
const MAX_FILES = 4000;

/** Pattern for file names: a C format (printf) with one integer. */
const PATTERN = /^([^%]*)%(0?)(\d{0,2})d([^%]*)$/;

function numberedFileNames(file: string, field: string, pattern: string, range: readonly string[]): readonly string[] {
  const parts = PATTERN.exec(pattern);
  if (parts === null)
    throw foreignFileError(file, `${field} is ${pattern}; allowed: a pattern with one number, as in slice%03d.raw`);
  const [, before = '', zeros = '', width = '', after = ''] = parts;
  const [first = 0, last = 0, step = 0] = range.map((text) => parseIntegers(file, field, text, -1e9));
  if (range.length !== 3 || step === 0 || (last - first) / step < 0) {
    throw foreignFileError(
      file,
      `${field} counts by ${range.join(' ')}; allowed: first number, last number and a step`,
    );
  }
  const count = Math.floor((last - first) / step) + 1;
  if (count > MAX_FILES) throw foreignFileError(file, `${field} names ${count} files; allowed: ${MAX_FILES}`);
  return Array.from({ length: count }, (_, i) => {
    const number = String(first + i * step).padStart(Number(width), zeros === '0' ? '0' : ' ');
    return `${before}${number}${after}`;
  });
}

/**
 * Throws unless the number of data files matches the sizes. `axes`: number of dimensions of each file, if the header
 * states it. By default each file contains one step of the slowest axis.
 */
function checkCount(file: string, field: string, count: number, axes: string | undefined, sizes: readonly number[]) {
  const each = axes === undefined ? sizes.length - 1 : parseIntegers(file, field, axes.replace(/d$/i, ''), 1);
  const slowest = sizes.at(-1) ?? 1;
  if (each > sizes.length || (each === sizes.length && slowest % count !== 0)) {
    throw foreignFileError(
      file,
      `${field} names ${count} files of ${each} axes; allowed: equal parts of ${sizes.join(' × ')}`,
    );
  }
  const wanted = each === sizes.length ? count : sizes.slice(each).reduce((a, b) => a * b, 1);
  if (count === wanted) return;
  throw foreignFileError(
    file,
    `${field} names ${count} files; allowed: ${wanted}, of ${each} axes each, for ${sizes.join(' × ')}`,
  );
}

/** Decodes a file name from a header, whose bytes were read as Latin-1: as UTF-8 if they are valid UTF-8. */
function decodeFileName(latin1: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(latin1, 'latin1'));
  } catch {
    return latin1;
  }
}

/**
 * Parses the field that names the data files. `following`: text of the header after this field. Throws BraggError
 * `foreign-file`.
 */
export function dataFilesOf(
  file: string,
  field: string,
  value: string,
  following: string,
  sizes: readonly number[],
): readonly string[] {
  const [word = '', ...rest] = value.split(/\s+/);
  const list = /^list$/i.test(word) && rest.length <= 1;
  let names: readonly string[] = [value];
  if (list) {
    const lines = following.split(/\r?\n/).map((line) => line.trim());
    names = lines.filter((line) => line !== '');
  } else if (word.includes('%')) names = numberedFileNames(file, field, word, rest.slice(0, 3));
  if (list || word.includes('%')) {
    if (rest.length > 4)
      throw foreignFileError(file, `${field} is ${value}; allowed: a pattern, three numbers and axes`);
    if (names.length === 0 || names.length > MAX_FILES) {
      throw foreignFileError(file, `${field} names ${names.length} files; allowed: 1 to ${MAX_FILES}`);
    }
    checkCount(file, field, names.length, list ? rest[0] : rest[3], sizes);
  }
  const plain = names.map((name) => decodeFileName(name).replace(/^\.\//, ''));
  const away = plain.find((name) => name === '' || /[/\\\0]|^\.\.?$/.test(name));
  if (away === undefined) return plain;
  throw foreignFileError(file, `${field} names "${away}"; allowed: files in the same folder`);
}
