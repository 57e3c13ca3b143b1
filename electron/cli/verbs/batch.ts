/** `braggbench batch`: computes many beams and the readouts of each. */
import { parse } from 'node:path';
import { BraggError } from '../../contract/errors.ts';
import { summaryDocument } from '../../contract/run.ts';
import { ledgerColumns } from '../../contract/scenario/transport/ledger-columns.ts';
import { millimetres, percent, plainDigits, plainError } from '../../domain/numbers.ts';
import { csvCell } from '../../domain/values/csv.ts';
import {
  type BeamReadouts,
  type Override,
  type ReadoutColumn,
  readoutColumns,
  type SolvedBeam,
} from '../../host/api/scenarios.ts';
import type { Host } from '../../host/index.ts';
import { flagValue, gpuFlag, hasFlag, jsonFlag, parseSweep, setFlag, UsageError } from '../arguments.ts';
import { checkOutput, forceFlag, writeOutput } from '../output-file.ts';
import { formatBar, ProgressBar } from '../progress-bar.ts';
import { parseOverrides, scenarioPath } from '../read-scenario.ts';
import { withHost } from '../subjects.ts';
import { formatTable } from '../table.ts';
import { type ExitCode, exitCodes, type Verb, type VerbContext } from '../verb.ts';

interface Beam {
  readonly name: string;
  readonly file: string;
  readonly overrides: readonly Override[];
}

/** Beams of a batch, and the function that solves them. */
interface BatchWork {
  readonly names: readonly string[];
  readonly solve: (ended: (index: number, outcome: Outcome) => void) => Promise<void>;
}

type Outcome = SolvedBeam | BraggError;
const isSolved = (outcome: Outcome): outcome is SolvedBeam => 'summary' in outcome;
/** Whether a beam was solved completely. The dose of an interrupted run would look complete. */
const isComplete = (outcome: Outcome | undefined): outcome is SolvedBeam =>
  outcome !== undefined && isSolved(outcome) && outcome.summary.status === 'done';

/** Names for the beams: file names, or paths if several files have the same name. */
function beamNames(files: readonly string[]): readonly string[] {
  const names = files.map((file) => parse(file).name);
  const filesOf = new Map<string, Set<string>>();
  for (const [i, name] of names.entries()) {
    const same = filesOf.get(name) ?? new Set();
    filesOf.set(name, same.add(files[i] ?? ''));
  }
  return names.map((name, i) => ((filesOf.get(name)?.size ?? 1) > 1 ? (files[i] ?? name) : name));
}

/** One beam for each file and each value of --sweep. */
function collectBeams({ parsed }: VerbContext): readonly Beam[] {
  const given = parseOverrides(parsed);
  const variant = flagValue(parsed, 'variant');
  const chosen: readonly Override[] = variant === undefined ? [] : [{ path: ['solver', 'variant'], value: variant }];
  const text = flagValue(parsed, 'sweep');
  const sweep = text === undefined ? null : parseSweep(text);
  const names = beamNames(parsed.operands);
  return parsed.operands.flatMap((file, k): readonly Beam[] => {
    const name = names[k] ?? file;
    if (sweep === null) return [{ name, file, overrides: [...given, ...chosen] }];
    return sweep.overrides.map((values, i) => ({
      name: `${name} ${sweep.path}=${Number((sweep.values[i] ?? 0).toPrecision(12))}`,
      file,
      overrides: [...given, ...values, ...chosen],
    }));
  });
}

function parseLanes({ parsed }: VerbContext): number | undefined {
  const text = flagValue(parsed, 'lanes');
  if (text === undefined) return undefined;
  const lanes = Number(text);
  if (!Number.isInteger(lanes) || lanes < 1 || lanes > 1024) {
    throw new UsageError(`--lanes: ${JSON.stringify(text)} is not allowed; allowed: 1 to 1024`);
  }
  return lanes;
}

/** Solves each beam on its own grid. */
function solveOnSeparateGrids(context: VerbContext, host: Host): BatchWork {
  if (flagValue(context.parsed, 'gpus') !== undefined) throw new UsageError('--gpus needs --one-grid');
  const lanes = parseLanes(context);
  const beams = collectBeams(context);
  return {
    names: beams.map(({ name }) => name),
    solve: (ended) =>
      host.batches.solve({
        beams: beams.map(({ name, file, overrides }) => ({
          name,
          read: () => host.scenarios.read(scenarioPath(file), { overrides }),
        })),
        ...(lanes === undefined ? {} : { lanes }),
        signal: context.signal,
        onEnded: ended,
      }),
  };
}

/**
 * Solves all beams, which are values of a sweep or spots of the scenario, on the grid of the beam with the highest
 * energy.
 */
async function solveOnOneGrid({ parsed, signal }: VerbContext, host: Host): Promise<BatchWork> {
  const [file = '', ...others] = parsed.operands;
  if (others.length > 0)
    throw new UsageError('--one-grid: several scenarios given; allowed: one, with --sweep or beam.spots');
  if (flagValue(parsed, 'lanes') !== undefined) {
    throw new UsageError('--lanes is for beams on separate grids; with --one-grid use solver.threads');
  }
  const text = flagValue(parsed, 'sweep');
  const sweep = text === undefined ? null : parseSweep(text);
  const variant = flagValue(parsed, 'variant');
  const chosen: readonly Override[] = variant === undefined ? [] : [{ path: ['solver', 'variant'], value: variant }];
  const overrides = [...parseOverrides(parsed), ...chosen];
  const reading = await host.batches.readOneGrid(
    host.scenarios,
    scenarioPath(file),
    overrides,
    sweep?.overrides ?? null,
  );
  const { name } = parse(file);
  const spots = reading.scenario?.beam.spots ?? [];
  const names =
    sweep === null
      ? spots.map((_, i) => `${name} spot ${i + 1}`)
      : sweep.values.map((value) => `${name} ${sweep.path}=${Number(value.toPrecision(12))}`);
  const gpus = flagValue(parsed, 'gpus');
  const sharing = gpus === undefined ? {} : { gpus };
  return {
    names,
    solve: (ended) => host.batches.solveOnOneGrid({ name, reading, ...sharing, signal, onEnded: ended }),
  };
}

/** Largest number of lines in a CSV file of depth doses, which is then several hundred megabytes. */
const MAX_CSV_LINES = 1e7;

/** Whether to compute only readouts: on request, and for the moments variant on a GPU, whose batches have no maps. */
const computesReadoutsOnly = ({ parsed }: VerbContext): boolean =>
  hasFlag(parsed, 'readouts') || (hasFlag(parsed, 'one-grid') && flagValue(parsed, 'variant') === 'cuda-moments');

const CURVES_HEADER = 'beam,depth_mm,dose_MeV_per_mm\n';

/** CSV lines of one beam's depth dose. `doseAt` returns the dose at an index of `depths_mm`. */
function curveLines(name: string, depths_mm: Float64Array, doseAt: (k: number) => number | undefined): string {
  const beam = csvCell(name);
  let lines = '';
  for (let k = 0; k < depths_mm.length; k += 1) lines += `${beam},${depths_mm[k]},${doseAt(k)}\n`;
  return lines;
}

/** CSV text of all depth doses in pieces, because it may exceed the maximum length of a string. */
function* readoutCurves(names: readonly string[], { count, curves }: BeamReadouts): Generator<string> {
  yield CURVES_HEADER;
  if (curves === null) return;
  const { depth_mm, values } = curves;
  for (const [i, name] of names.entries()) yield curveLines(name, depth_mm, (k) => values[k * count + i]);
}

const finiteOrNull = (value: number | undefined): number | null =>
  value === undefined || Number.isNaN(value) ? null : value;

/** Computes the readouts of many beams on one grid, and prints them as a table. */
async function performReadouts({ parsed, terminal, signal }: VerbContext, host: Host): Promise<ExitCode> {
  const [file = '', ...others] = parsed.operands;
  if (others.length > 0) throw new UsageError('--readouts: several scenarios given; allowed: one');
  if (flagValue(parsed, 'lanes') !== undefined) {
    throw new UsageError('--lanes is for beams on separate grids; with --readouts use solver.threads');
  }
  const text = flagValue(parsed, 'sweep');
  const sweep = text === undefined ? null : parseSweep(text);
  const given = parseOverrides(parsed);
  const solver: readonly Override[] = [
    { path: ['solver', 'variant'], value: flagValue(parsed, 'variant') ?? 'moments' },
    { path: ['solver', 'stepping'], value: 'depth' },
  ];
  const beams = await host.batches.readBeamList(
    host.scenarios,
    scenarioPath(file),
    [...solver, ...given],
    sweep?.overrides ?? null,
  );
  const csv = flagValue(parsed, 'csv');
  const gpus = flagValue(parsed, 'gpus');
  const { name } = parse(file);
  const begun_ms = performance.now();
  const table = await host.batches.readouts(name, beams, {
    ...{ signal, curves: csv !== undefined },
    ...(gpus === undefined ? {} : { gpus }),
  });
  const wall_s = (performance.now() - begun_ms) / 1000;
  const { count, variant, precision, device, solve_s, march_s, readouts_s, curves } = table;
  const swept = sweep?.path ?? 'spot';
  const values = sweep?.values ?? Array.from({ length: count }, (_, i) => i + 1);
  if (hasFlag(parsed, 'json')) {
    const columns = Object.fromEntries(
      readoutColumns
        .filter((column) => column !== 'end')
        .map((column) => [column, Array.from(table.column(column), finiteOrNull)]),
    );
    const facts = { wall_s, solve_s, march_s, readouts_s, variant, precision, device, beams: count };
    terminal.print(JSON.stringify({ ...facts, columns: { [swept]: values, ...columns } }));
  } else {
    for (const line of readoutLines(terminal, swept, values, table)) terminal.print(line);
    terminal.print('');
    terminal.print(`${count} beams in ${plainDigits(wall_s, 3)} s: ${plainDigits(count / wall_s, 3)} a second`);
  }
  if (csv !== undefined && curves !== null) {
    const lines = count * curves.depth_mm.length;
    if (lines > MAX_CSV_LINES) {
      throw new BraggError(
        'unsupported',
        `--csv: ${count} depth doses have ${lines} lines; allowed: up to ${MAX_CSV_LINES}. Use fewer beams or a larger grid.dz_mm.`,
      );
    }
    const names = values.map((value) => `${name} ${swept}=${Number(value.toPrecision(12))}`);
    await writeOutput(parsed, csv, Buffer.concat([...readoutCurves(names, table)].map((piece) => Buffer.from(piece))));
    terminal.printNote(`depth doses written to ${csv}`);
  }
  return signal.aborted ? exitCodes.interrupted : exitCodes.done;
}

/** Table of readouts, and the largest error in the energy and proton balance of a beam. */
function readoutLines(
  terminal: VerbContext['terminal'],
  swept: string,
  values: readonly number[],
  beams: BeamReadouts,
): readonly string[] {
  const at = (name: ReadoutColumn): ((i: number) => number) => {
    const column = beams.column(name);
    return (i) => column[i] ?? Number.NaN;
  };
  const [r80, width, peak, entrance] = [
    at('r80_mm'),
    at('w80_20_mm'),
    at('peak_MeV_per_mm'),
    at('entrance_MeV_per_mm'),
  ];
  const [input, deposited, reacted, left] = [
    at('energy_in_MeV'),
    at('energy_deposited_MeV'),
    at('energy_reacted_MeV'),
    at('energy_left_MeV'),
  ];
  const number = (value: number, digits: number): string => (Number.isNaN(value) ? '–' : plainDigits(value, digits));
  const rows = values.map((value, i) => [
    String(Number(value.toPrecision(12))),
    millimetres(finiteOrNull(r80(i))),
    millimetres(finiteOrNull(width(i))),
    number(peak(i) / entrance(i), 4),
    `${number(deposited(i), 6)} MeV`,
    plainError(Math.abs(input(i) - deposited(i) - reacted(i) - left(i)) / input(i)),
  ]);
  const columns = [
    { title: swept },
    ...COLUMNS.filter(({ title }) => ['R80', 'W80–20', 'peak/entrance', 'deposited', 'ledger'].includes(title)),
  ];
  return formatTable(columns, rows, { styleTitle: (title) => terminal.style('bold', title) });
}

async function solveAll({ terminal }: VerbContext, { names, solve }: BatchWork) {
  const outcomes: (Outcome | undefined)[] = names.map(() => undefined);
  const progress = new ProgressBar(terminal);
  const begun_ms = performance.now();
  let done = 0;
  await solve((index, outcome) => {
    outcomes[index] = outcome;
    done += 1;
    progress.draw(`${formatBar(done / names.length)} ${done} of ${names.length} beams`);
  });
  progress.clear();
  return { outcomes, wall_s: (performance.now() - begun_ms) / 1000 };
}

const ledgerError = ({ summary: { ledger } }: SolvedBeam): number =>
  Math.max(Math.abs(ledger.number.rel_error), Math.abs(ledger.energy.rel_error));

/**
 * Explains why a beam has no range: usually the box ends before the peak, so the fraction of protons that leave it is
 * stated.
 */
function depthLossText({ summary: { metrics, ledger } }: SolvedBeam): readonly string[] {
  const share = ledger.number.escaped_z / ledger.number.in;
  return metrics.r80_mm === null && share > 0
    ? [`${percent(share)} ${ledgerColumns.escaped_z.title.toLowerCase()}`]
    : [];
}

function tableRow(name: string, outcome: Outcome | undefined): readonly string[] {
  if (outcome === undefined) return [name, '', '', '', '', '', '', 'not begun'];
  if (!isSolved(outcome)) return [name, '', '', '', '', '', '', outcome.message];
  const { metrics, status, notes, variant } = outcome.summary;
  const { r80_mm, w80_20_mm, peak_to_entrance, energy_deposited_MeV } = metrics;
  return [
    name,
    variant,
    millimetres(r80_mm),
    millimetres(w80_20_mm),
    peak_to_entrance === null ? '–' : plainDigits(peak_to_entrance, 4),
    `${plainDigits(energy_deposited_MeV, 6)} MeV`,
    plainError(ledgerError(outcome)),
    [...(status === 'done' ? [] : [status]), ...depthLossText(outcome), ...notes.map(({ code }) => code)].join(', '),
  ];
}

const COLUMNS = [
  { title: 'beam' },
  { title: 'variant' },
  { title: 'R80', align: 'right' },
  { title: 'W80–20', align: 'right' },
  { title: 'peak/entrance', align: 'right' },
  { title: 'deposited', align: 'right' },
  { title: 'ledger', align: 'right' },
  { title: 'notes' },
] as const;

function beamDocument(name: string, outcome: Outcome | undefined): object {
  if (outcome === undefined) return { name, status: 'not begun' };
  if (!isSolved(outcome)) return { name, status: 'failed', code: outcome.code, error: outcome.message };
  return { name, ...summaryDocument(outcome.summary) };
}

/** CSV table of all depth doses with the columns beam, depth and dose. */
function curvesCsv(names: readonly string[], outcomes: readonly (Outcome | undefined)[]): string {
  const curves = names.map((name, i) => {
    const outcome = outcomes[i];
    if (!isComplete(outcome)) return '';
    const { positions, values } = outcome.depthDose;
    return curveLines(name, positions, (k) => values[k]);
  });
  return `${CURVES_HEADER}${curves.join('')}`;
}

async function runBatch(context: VerbContext, host: Host): Promise<ExitCode> {
  const { parsed, terminal, signal } = context;
  const csv = flagValue(parsed, 'csv');
  if (csv !== undefined) await checkOutput(parsed, csv);
  if (computesReadoutsOnly(context)) return performReadouts(context, host);
  const work = hasFlag(parsed, 'one-grid') ? await solveOnOneGrid(context, host) : solveOnSeparateGrids(context, host);
  const { names } = work;
  const { outcomes, wall_s } = await solveAll(context, work);
  const right = outcomes.filter(isComplete).length;
  if (hasFlag(parsed, 'json')) {
    terminal.printJson({ wall_s, beams: names.map((name, i) => beamDocument(name, outcomes[i])) });
  } else {
    for (const line of formatTable(
      COLUMNS,
      names.map((name, i) => tableRow(name, outcomes[i])),
      { styleTitle: (text) => terminal.style('bold', text) },
    )) {
      terminal.print(line);
    }
    terminal.print('');
    const failed = names.length - right;
    const rate = `${right} of ${names.length} beams in ${plainDigits(wall_s, 3)} s: ${plainDigits(right / wall_s, 3)} a second`;
    terminal.print(failed === 0 ? rate : `${rate}; ${failed} failed`);
  }
  if (csv !== undefined) {
    await writeOutput(parsed, csv, curvesCsv(names, outcomes));
    terminal.printNote(`depth doses written to ${csv}`);
  }
  if (signal.aborted) return exitCodes.interrupted;
  return right === names.length ? exitCodes.done : exitCodes.failed;
}

export const batch: Verb = {
  name: 'batch',
  usage:
    'batch SCENARIO … [--sweep path=first..last/count] [--one-grid | --readouts] [--variant ID] [--set path=value …] [--csv FILE] [--json]',
  summary: 'solve many beams at once: range, falloff and ledger of each',
  details: [
    'Solves every scenario, or with --sweep one beam for each value, and prints one line per beam. On the CPU each thread solves one beam; on a GPU several beams run at once. If a beam fails, the others continue, and its line shows the reason. Results equal those of single runs with one thread.',
    'With --one-grid, all beams of a scenario share the grid of the one with the highest energy. Tables are built once, and a GPU solves hundreds of beams at a time. The beams may differ in energy, spread, position and width. Range and falloff agree with single runs within 0.01 mm.',
    'With --readouts, the variant moments computes only the readouts of each beam: range, falloff, widths and ledger per proton, and depth doses with --csv. A hundred thousand beams take seconds. With --one-grid, cuda-moments always works this way. --json then prints one array per readout.',
  ],
  flags: [
    {
      name: 'sweep',
      value: 'path=values',
      help: 'Values of one parameter, as in beam.energy_MeV=60..80/1024 or grid.dx_mm=1,0.5: one beam for each.',
    },
    { name: 'variant', value: 'ID', help: 'Variant that solves them; see braggbench variants.' },
    setFlag('Change a value of every scenario.'),
    { name: 'lanes', value: 'N', help: 'Number of beams solved at the same time; one per core by default.' },
    {
      name: 'one-grid',
      help: 'Solve the beams of one scenario, from --sweep or its spots, on the grid of the highest energy.',
    },
    {
      name: 'readouts',
      help: 'Compute only readouts, by moments on one grid; --variant is moments or cuda-moments.',
    },
    { name: 'csv', value: 'FILE', help: 'Write all depth doses: beam, depth in mm, dose in MeV/mm.' },
    forceFlag,
    gpuFlag,
    { name: 'gpus', value: 'all|a,b,…', help: 'With --one-grid: GPUs that share the beams, by index or UUID.' },
    jsonFlag,
  ],
  examples: [
    'braggbench batch water-70MeV water-150MeV',
    'braggbench batch water-70MeV --set solver.stepping=depth --sweep beam.energy_MeV=60..80/1024 --one-grid --csv curves.csv',
    'braggbench batch water-70MeV --readouts --sweep beam.energy_MeV=60..80/100000 --json',
  ],
  operands: { min: 1, max: 100_000, name: 'a scenario' },
  run: (context) => withHost((host) => runBatch(context, host), flagValue(context.parsed, 'gpu')),
};
