/**
 * Reads files of spots: CSV whose first line names the columns, or a JSON list. Errors contain the line and the value.
 */

import { formatValue, spotListSchema, suggestSimilarWord } from '../../../../contract/scenario/index.ts';
import { maxSpots, type SpotWithStaticDefaults, spotSchema } from '../../../../contract/scenario/transport/beam.ts';
import { detectSeparator, parseDecimal, splitCells } from '../../../../domain/values/csv.ts';
import { parseJson, rephraseSchemaError } from '../../../io/text/json.ts';
import { LineIndex, offsetOfPath, plainValue, type SourceNode } from '../../../io/text/source.ts';
import { createNamedFileReader, type ParseResult } from '../../../model/scenarios/named-files.ts';

type Path = Parameters<typeof offsetOfPath>[1];
interface LineError {
  readonly line: number;
  readonly message: string;
}

/**
 * Maximum number of errors to report. A file with more errors probably has another format, so only their number is
 * reported.
 */
const maxErrors = 20;
const columns = Object.keys(spotSchema.shape);

/** A parsed document, and the line number of each path in it. */
interface ParsedList {
  readonly value: unknown;
  readonly lineOf: (path: Path) => number;
}

function checkSpots({ value, lineOf }: ParsedList): ParseResult<readonly SpotWithStaticDefaults[]> {
  const parsed = spotListSchema.safeParse(value);
  if (parsed.success) return { ok: true, value: parsed.data };
  const faults = parsed.error.issues.map((issue): LineError => {
    const path = issue.path as Path;
    const key = path.at(-1);
    const found = path.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], value);
    const where = path.length === 0 ? '' : typeof key === 'number' ? `spot ${key + 1}: ` : `${String(key)}: `;
    const allowed = issue.code === 'custom' ? `; allowed: ${String(issue.params?.['allowed'] ?? '')}` : '';
    const shown = found === undefined || typeof found === 'object' ? '' : `${formatValue(found)}: `;
    const says = issue.code === 'custom' && found === undefined ? 'is missing' : rephraseSchemaError(issue.message);
    return { line: lineOf(path), message: `${where}${shown}${says}${allowed}` };
  });
  if (faults.length > maxErrors) {
    const more = faults.length - maxErrors;
    faults.splice(maxErrors, more, { line: faults[maxErrors]?.line ?? 1, message: `and ${more} more issues` });
  }
  return { ok: false, faults };
}

function readJson(text: string): ParseResult<readonly SpotWithStaticDefaults[]> {
  const { root, faults } = parseJson(text);
  const lines = new LineIndex(text);
  if (root === null || faults.length > 0) {
    return { ok: false, faults: faults.map(({ at, message }) => ({ line: lines.positionOf(at).line, message })) };
  }
  const node: SourceNode = root;
  return checkSpots({
    value: plainValue(node),
    lineOf: (path) => lines.positionOf(offsetOfPath(node, path, false)).line,
  });
}

function readCsv(text: string): ParseResult<readonly SpotWithStaticDefaults[]> {
  const rows = text
    .split(/\r\n?|\n/)
    .map((content, index) => ({ line: index + 1, content: content.trim() }))
    // Remove comments first, because they may contain commas.
    .filter(({ content }) => content !== '' && !content.startsWith('#'));
  const separator = detectSeparator(rows[0]?.content ?? '');
  const [header, ...data] = rows.map(({ line, content }) => ({ line, cells: splitCells(content, separator) }));
  const allowed = `columns of ${columns.join(', ')}`;
  if (header === undefined)
    return { ok: false, faults: [{ line: 1, message: `the file is empty; allowed: ${allowed}` }] };
  const strange = header.cells.find((name) => !columns.includes(name));
  if (strange !== undefined) {
    const near = suggestSimilarWord(strange, columns);
    const hint = near === null ? '' : ` (did you mean ${near}?)`;
    const message = `the column ${formatValue(strange)} is not known${hint}; allowed: ${allowed}`;
    return { ok: false, faults: [{ line: header.line, message }] };
  }
  const twice = header.cells.find((name, i) => header.cells.indexOf(name) !== i);
  if (twice !== undefined) {
    return { ok: false, faults: [{ line: header.line, message: `the column ${twice} is given twice; allowed: once` }] };
  }
  if (data.length === 0 || data.length > maxSpots) {
    return {
      ok: false,
      faults: [{ line: header.line, message: `the file has ${data.length} spots; allowed: 1 to ${maxSpots}` }],
    };
  }
  const other = data.find(({ cells }) => cells.length !== header.cells.length);
  if (other !== undefined) {
    const has = `${other.cells.length} ${other.cells.length === 1 ? 'value' : 'values'}`;
    const empty = other.cells.length < header.cells.length ? ' (leave an empty value blank between commas)' : '';
    const message = `${has}; allowed: ${header.cells.length}, the number of columns in the first line${empty}`;
    return { ok: false, faults: [{ line: other.line, message }] };
  }
  // An empty cell omits its value. An invalid number remains text, which the schema then rejects with the name of the
  // column.
  const value = data.map(({ cells }) =>
    Object.fromEntries(
      header.cells.flatMap((name, i) => {
        const cell = cells[i] ?? '';
        return cell === '' ? [] : [[name, Number.isNaN(parseDecimal(cell)) ? cell : parseDecimal(cell)]];
      }),
    ),
  );
  return checkSpots({
    value,
    lineOf: ([index]) => (typeof index === 'number' ? (data[index]?.line ?? header.line) : header.line),
  });
}

/** Parses a file of spots. The extension of `name` selects JSON or CSV. */
function parseSpots(text: string, name: string): ParseResult<readonly SpotWithStaticDefaults[]> {
  return /\.json$/i.test(name) ? readJson(text) : readCsv(text);
}

export const readSpots = createNamedFileReader({
  task: 'read spots',
  path: ['beam', 'spots', 'file'],
  /** Maximum size in bytes: 10,000 spots of eight values. */
  largest_bytes: 4 * 1024 * 1024,
  allowed: 'a CSV file with columns such as energy_MeV,x_mm,weight, or a JSON list, in the folder of the scenario',
  parse: parseSpots,
});
