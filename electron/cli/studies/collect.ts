/** `braggbench study collect` and `export`: one table of all results. */
import path from 'node:path';
import { BraggError } from '../../contract/errors.ts';
import { shortNumberText } from '../../domain/numbers.ts';
import { countText } from '../../domain/values/units.ts';
import {
  collectTable,
  columnTitle,
  importStudy,
  kernelTunerText,
  readRows,
  readTuning,
  type StudyFolder,
  type StudyTable,
  type TuningResults,
  t4Text,
  tableCsv,
  tableHdf5,
  tableNotes,
  tableParquet,
  tuningResultsOf,
} from '../../host/api/studies.ts';
import { readCompressedText } from '../../host/index.ts';
import { flagValue, hasFlag, UsageError } from '../arguments.ts';
import { checkOutput, writeOutput } from '../output-file.ts';
import { formatTable } from '../table.ts';
import { type ExitCode, exitCodes, type VerbContext } from '../verb.ts';

const MAX_PRINTED_ROWS = 40;
/** Size limit of an imported file, bytes. A search space of 10,000 configurations with all samples fits. */
const MAX_IMPORTED = 64 * 2 ** 20;

/** Indices of the columns that differ between rows, or that readers usually need. */
function findInterestingColumns({ columns, rows }: StudyTable): readonly number[] {
  return columns.flatMap(({ of, name }, i) => {
    const values = new Set(rows.map((row) => row[i]));
    const wanted = of === 'axis' || of === 'error' || name === 'point' || name === 'status';
    return wanted || (of === 'measure' && values.size > 1) ? [i] : [];
  });
}

/** Largest number of printed columns; the file contains all of them. */
const MAX_PRINTED_COLUMNS = 12;

/** Text about rows and columns that are not printed. Null if all are. */
function hiddenText(rows: number, columns: number): string | null {
  const hidden = [
    ...(rows > 0 ? [countText(rows, 'more row')] : []),
    ...(columns > 0 ? [countText(columns, 'more column')] : []),
  ];
  return hidden.length === 0 ? null : `Not shown: ${hidden.join(', ')}; braggbench study export writes everything.`;
}

export async function collectStudy({ parsed, terminal }: VerbContext, folder: StudyFolder): Promise<ExitCode> {
  const found = await collectTable(folder);
  const { columns, rows } = found;
  if (hasFlag(parsed, 'json')) {
    terminal.printJson({ ...found, notes: tableNotes(found) });
    return exitCodes.done;
  }
  const shown = findInterestingColumns(found).slice(0, MAX_PRINTED_COLUMNS);
  const titles = shown.map((i) => ({ title: columns[i] === undefined ? '' : columnTitle(columns[i]) }));
  const cells = rows.slice(0, MAX_PRINTED_ROWS).map((row) =>
    shown.map((i) => {
      const value = row[i];
      return typeof value === 'number' ? shortNumberText(value, 6) : (value ?? '–');
    }),
  );
  for (const line of formatTable(titles, cells, { styleTitle: (text) => terminal.style('bold', text) }))
    terminal.print(line);
  const hidden = hiddenText(rows.length - cells.length, columns.length - shown.length);
  if (hidden !== null) {
    terminal.print('');
    terminal.print(hidden);
  }
  for (const note of tableNotes(found)) terminal.printNote(note);
  return exitCodes.done;
}

type TableFormatter = (found: StudyTable) => Promise<string | Uint8Array>;
const formats: Readonly<Record<string, TableFormatter>> = {
  '.csv': (found) => Promise.resolve(tableCsv(found)),
  '.parquet': tableParquet,
  '.h5': tableHdf5,
  '.json': (found) => Promise.resolve(`${JSON.stringify(found)}\n`),
};

/** Writers for the file formats of other tuners, by format name. */
const tuningFileFormatters: Readonly<Record<string, (results: TuningResults) => string>> = {
  '.t4.json': t4Text,
  '.cache.json': kernelTunerText,
};

/** Imports a cache file of Kernel Tuner or T4 as a study, into a folder next to the file or into --out. */
export async function importTuning({ parsed, terminal }: VerbContext, file: string): Promise<ExitCode> {
  const read = await readCompressedText(file, MAX_IMPORTED);
  if (!read.ok) throw new BraggError('not-found', `${file}: ${read.reason}`);
  const name = path.basename(file).replace(/(?:\.t4|\.cache)?\.json(?:\.gz)?$/, '');
  const results = await readTuning({ text: read.text, name: file });
  const folder = await importStudy(
    results,
    flagValue(parsed, 'out') ?? path.join(path.dirname(file), `${name}.study`),
    name,
  );
  const right = results.configurations.filter(({ outcome }) => outcome === 'right').length;
  for (const note of results.notes ?? []) terminal.printNote(`${terminal.styleNote('yellow', 'note')} ${note}`);
  terminal.print(`${results.configurations.length} configurations, ${right} of them correct, in ${folder.folder}`);
  return exitCodes.done;
}

export async function exportStudy(
  { parsed, terminal }: VerbContext,
  folder: StudyFolder,
  file: string,
): Promise<ExitCode> {
  const tuner = Object.entries(tuningFileFormatters).find(([ending]) => file.toLowerCase().endsWith(ending));
  if (tuner !== undefined) {
    await checkOutput(parsed, file);
    const { rows } = await readRows(folder);
    await writeOutput(parsed, file, tuner[1](tuningResultsOf(folder.head, rows)));
    terminal.print(`${rows.length} configurations written to ${file}`);
    return exitCodes.done;
  }
  const write = formats[path.extname(file).toLowerCase()];
  if (write === undefined) {
    throw new UsageError(
      `study export: ${JSON.stringify(file)} has an unknown extension; allowed: ${[...Object.keys(formats), ...Object.keys(tuningFileFormatters)].join(', ')}`,
    );
  }
  await checkOutput(parsed, file);
  const found = await collectTable(folder);
  await writeOutput(parsed, file, await write(found));
  terminal.print(`${found.rows.length} rows of ${found.columns.length} columns written to ${file}`);
  for (const note of tableNotes(found)) terminal.printNote(note);
  return exitCodes.done;
}
