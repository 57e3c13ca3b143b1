/** `braggbench bench` of a diffraction scenario. */
import { suggest } from '../../../contract/scenario/index.ts';
import type { Host } from '../../../host/index.ts';
import { type Override, problemOf, writeAtomically } from '../../../host/scenarios/index.ts';
import { benchImages, type ImageBenchEntry, type ImageBenchReport } from '../../../host/workloads/diffraction/bench.ts';
import { flagNumber, flagValue, hasFlag, type ParsedArguments, UsageError } from '../../arguments.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { duration, metric, significant, smallError, speedup } from '../../numbers.ts';
import { bar, ProgressBar } from '../../progress-bar.ts';
import { parseSweep } from '../../sweep.ts';
import { table } from '../../table.ts';
import type { VerbContext } from '../../verb.ts';
import { readImageScenario } from './scenario.ts';

const fewestRounds = 7;
const usualMostRounds = 100;
const usualSeconds = 60;

/** Of the verb's flags those that mean nothing here. */
const notHere = ['external', 'modes'] as const;

/** Those of --variants in their order, else every one that this machine can run. */
function variantIds(parsed: ParsedArguments, host: Host): readonly string[] {
  const all = host.addon.diffractionVariants();
  const list = flagValue(parsed, 'variants');
  if (list === undefined) return all.filter(({ available }) => available).map(({ id }) => id);
  const known = all.map(({ id }) => id);
  return list.split(',').map((given) => {
    const id = given.trim();
    if (known.includes(id)) return id;
    const near = suggest(id, known);
    const hint = near === null ? '' : ` (did you mean ${near}?)`;
    throw new UsageError(`--variants: ${JSON.stringify(id)} is not known${hint}; allowed: ${known.join(', ')}`);
  });
}

function row(entry: ImageBenchEntry, style: (name: 'green' | 'red', text: string) => string): readonly string[] {
  const { variant, refused, error, first_s, setup_s, median_s, ns_per_term, ratio, correct } = entry;
  if (refused !== null) return [variant, '', '', '', '', '', '', '', '', '', refused];
  const off = error === null ? ['', '', '', ''] : [error.rel_l2, error.max, error.bright, error.sum].map(smallError);
  return [
    variant,
    first_s === null ? '' : duration(first_s),
    setup_s === null ? '' : duration(setup_s),
    median_s === null ? '' : duration(median_s),
    ns_per_term === null ? '' : significant(ns_per_term, 3),
    ratio === null ? '' : speedup(ratio),
    ...off,
    correct === true ? style('green', 'correct') : style('red', 'wrong'),
  ];
}

const columns = [
  { title: 'Variant' },
  { title: 'First', align: 'right' },
  { title: 'Set-up', align: 'right' },
  { title: 'Render', align: 'right' },
  { title: 'ns/term·core', align: 'right' },
  { title: 'Speed-up', align: 'right' },
  { title: 'relL2', align: 'right' },
  { title: 'max/max', align: 'right' },
  { title: 'Bright', align: 'right' },
  { title: 'Sum', align: 'right' },
  { title: '' },
] as const;

function show({ terminal }: VerbContext, report: ImageBenchReport): void {
  const { machine, width, height, terms, rounds, noise_floor, stopped, elapsed_s, reference } = report;
  terminal.print(terminal.style('bold', report.scenario));
  terminal.print(`${width} × ${height} pixels, ${metric(terms)} lattice terms; ${machine.cpu}, ${machine.isa}`);
  const rows = report.entries.map((entry) => row(entry, (name, text) => terminal.style(name, text)));
  for (const line of table(columns, rows, { styleTitle: (text) => terminal.style('bold', text) })) terminal.print(line);
  const floor = noise_floor === null ? 'not measured' : `±${significant(100 * noise_floor, 2)} %`;
  terminal.print(
    `${rounds} rounds in ${duration(elapsed_s)} (ended: ${stopped}); speed-up over ${reference ?? 'nothing'}, noise floor ${floor}`,
  );
}

async function measure(context: VerbContext, host: Host, more: readonly Override[]): Promise<ImageBenchReport> {
  const { parsed, terminal, signal } = context;
  const reading = await readImageScenario(context, host, more);
  const mostRounds = flagNumber(parsed, 'rounds', { min: 1, max: 100_000, whole: true }) ?? usualMostRounds;
  const mostSeconds = flagNumber(parsed, 'time', { min: 0, max: 86_400 }) ?? usualSeconds;
  const progress = new ProgressBar(terminal);
  return benchImages(host.addon, problemOf(reading), {
    scenario: reading.scenario.name || (parsed.operands[0] ?? ''),
    variants: variantIds(parsed, host),
    seed: flagNumber(parsed, 'seed', { min: 0, max: 2 ** 32 - 1, whole: true }) ?? 1,
    limits: { fewestRounds: Math.min(fewestRounds, mostRounds), mostRounds, mostSeconds },
    signal,
    onProgress: (what, round, elapsed_s) =>
      progress.draw(
        `${bar(round / mostRounds)}  round ${round + 1} of at most ${mostRounds}: ${what}  ${duration(elapsed_s)}`,
      ),
  }).finally(() => progress.clear());
}

export async function benchDiffraction(context: VerbContext, host: Host): Promise<ExitCode> {
  const { parsed, terminal, signal } = context;
  for (const flag of notHere) {
    if (flagValue(parsed, flag) !== undefined) throw new UsageError(`--${flag} is for transport scenarios`);
  }
  const sweepText = flagValue(parsed, 'sweep');
  const sweep = sweepText === undefined ? null : parseSweep(sweepText);
  const reports: ImageBenchReport[] = [];
  for (const override of sweep?.overrides ?? [null]) {
    if (signal.aborted && reports.length > 0) break;
    reports.push(await measure(context, host, override === null ? [] : [override]));
  }
  const session = {
    workload: 'diffraction',
    created: new Date().toISOString(),
    sweep: sweep === null ? null : { path: sweep.path, values: sweep.values.slice(0, reports.length) },
    reports,
  };
  const out = flagValue(parsed, 'out');
  if (out !== undefined) {
    await writeAtomically(out, `${JSON.stringify(session, null, 2)}\n`, 'replace');
    terminal.say(`Kept as ${out}`);
  }
  if (hasFlag(parsed, 'json')) terminal.printJson(sweep === null ? reports[0] : session);
  else {
    for (const [i, report] of reports.entries()) {
      if (i > 0) terminal.print();
      if (sweep !== null) terminal.print(terminal.style('bold', `${sweep.path} = ${sweep.values[i]}`));
      show(context, report);
    }
  }
  if (reports.some(({ stopped }) => stopped === 'cancelled')) return exitCodes.interrupted;
  return reports.every(({ stopped }) => stopped === 'refused') ? exitCodes.badInput : exitCodes.done;
}
