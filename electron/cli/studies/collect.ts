/** `braggbench study collect` and `export`: one table of all results. */
import path from 'node:path';
import { BraggError } from '../../contract/errors.ts';
import { collect, readRows } from '../../host/app/studies/collect.ts';
import { importStudy, tuningResultsOf } from '../../host/app/tuning/transfer.ts';
import { readPackedText } from '../../host/io/text/packed.ts';
import { tableCsv, titleOf } from '../../host/model/studies/csv.ts';
import type { StudyFolder } from '../../host/model/studies/folder.ts';
import { tableNotes } from '../../host/model/studies/notes.ts';
import type { StudyTable } from '../../host/model/studies/table.ts';
import { tableHdf5, tableParquet } from '../../host/model/studies/table-files.ts';
import { kernelTunerText } from '../../host/model/tuning/files/kernel-tuner.ts';
import { readTuning } from '../../host/model/tuning/files/read.ts';
import type { TuningResults } from '../../host/model/tuning/files/results.ts';
import { t4Text } from '../../host/model/tuning/files/t4.ts';
import { flagValue, hasFlag, UsageError } from '../arguments.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { short } from '../numbers.ts';
import { checkOutput, writeOutput } from '../output-file.ts';
import { table } from '../table.ts';
import type { VerbContext } from '../verb.ts';

const FEW_ROWS = 40;
/** A whole space of some ten thousand configurations with all samples. */
const MOST_IMPORTED = 64 * 2 ** 20;

/** Columns that differ between rows, and those that a reader looks for. */
function interesting({ columns, rows }: StudyTable): readonly number[] {
  return columns.flatMap(({ of, name }, i) => {
    const values = new Set(rows.map((row) => row[i]));
    const wanted = of === 'axis' || of === 'error' || name === 'point' || name === 'status';
    return wanted || (of === 'measure' && values.size > 1) ? [i] : [];
  });
}

/** As many as a reader can look over; all are in the file. */
const FEW_COLUMNS = 12;

export async function collectStudy({ parsed, terminal }: VerbContext, folder: StudyFolder): Promise<ExitCode> {
  const found = await collect(folder);
  const { columns, rows } = found;
  if (hasFlag(parsed, 'json')) {
    terminal.printJson({ ...found, notes: tableNotes(found) });
    return exitCodes.done;
  }
  const shown = interesting(found).slice(0, FEW_COLUMNS);
  const titles = shown.map((i) => ({ title: columns[i] === undefined ? '' : titleOf(columns[i]) }));
  const cells = rows.slice(0, FEW_ROWS).map((row) =>
    shown.map((i) => {
      const value = row[i];
      return typeof value === 'number' ? short(value, 6) : (value ?? '–');
    }),
  );
  for (const line of table(titles, cells, { styleTitle: (text) => terminal.style('bold', text) })) terminal.print(line);
  terminal.print('');
  const hidden = [
    rows.length > FEW_ROWS ? `${rows.length - FEW_ROWS} more rows` : '',
    `${columns.length - shown.length} more columns`,
  ];
  terminal.print(`And ${hidden.filter((text) => text !== '').join(', ')}: braggbench study export writes all.`);
  for (const note of tableNotes(found)) terminal.say(note);
  return exitCodes.done;
}

type Write = (found: StudyTable) => Promise<string | Uint8Array>;
const formats: Readonly<Record<string, Write>> = {
  '.csv': (found) => Promise.resolve(tableCsv(found)),
  '.parquet': tableParquet,
  '.h5': tableHdf5,
  '.json': (found) => Promise.resolve(`${JSON.stringify(found)}\n`),
};

/** Files of other tuners. */
const tuners: Readonly<Record<string, (results: TuningResults) => string>> = {
  '.t4.json': t4Text,
  '.cache.json': kernelTunerText,
};

/** Imports a cache file of Kernel Tuner or T4 into a folder next to the file or in --out. */
export async function importTuning({ parsed, terminal }: VerbContext, file: string): Promise<ExitCode> {
  const read = await readPackedText(file, MOST_IMPORTED);
  if (!read.ok) throw new BraggError('not-found', `${file}: ${read.reason}`);
  const name = path.basename(file).replace(/(?:\.t4|\.cache)?\.json(?:\.gz)?$/, '');
  const results = await readTuning({ text: read.text, name: file });
  const folder = await importStudy(
    results,
    flagValue(parsed, 'out') ?? path.join(path.dirname(file), `${name}.study`),
    name,
  );
  const right = results.configurations.filter(({ outcome }) => outcome === 'right').length;
  for (const note of results.notes ?? []) terminal.say(`${terminal.styleSaid('yellow', 'note')} ${note}`);
  terminal.print(`${results.configurations.length} configurations, ${right} of them right, in ${folder.folder}`);
  return exitCodes.done;
}

export async function exportStudy(
  { parsed, terminal }: VerbContext,
  folder: StudyFolder,
  file: string,
): Promise<ExitCode> {
  const tuner = Object.entries(tuners).find(([ending]) => file.toLowerCase().endsWith(ending));
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
      `study export: ${JSON.stringify(file)} ends in no format that is known; allowed: ${[...Object.keys(formats), ...Object.keys(tuners)].join(', ')}`,
    );
  }
  await checkOutput(parsed, file);
  const found = await collect(folder);
  await writeOutput(parsed, file, await write(found));
  terminal.print(`${found.rows.length} rows of ${found.columns.length} columns written to ${file}`);
  for (const note of tableNotes(found)) terminal.say(note);
  return exitCodes.done;
}
