/** One row per subject: its numbers, and how it stands to the reference. */
import type { ComparedRow, Provenance } from '../../contract/comparison.ts';
import { parityLimit, relativeL2 } from '../bench/parity.ts';
import { median, medianInterval, ratioInterval, unpairedRatioInterval } from '../bench/statistics.ts';
import { verdictOf } from '../bench/verdict.ts';
import { depthDoseOf } from '../metrics/run-metrics.ts';
import { summaryOf } from '../workloads/transport/readouts.ts';
import { measured } from '../workloads/transport/run-data.ts';
import { scenarioDifferences } from './compare.ts';
import { sameGrid } from './dose-field.ts';
import type { Loaded } from './subjects.ts';

/** Of the bootstrap: the same numbers every time. */
const seed = 1;

type Own = Omit<ComparedRow, 'ratio' | 'paired' | 'verdict' | 'note' | 'rel_l2' | 'rel_l2_limit' | 'differences'>;

function clocksOf(samples: readonly { readonly sm_MHz: number | null }[]): Provenance['sm_MHz'] {
  const clocks = samples.flatMap(({ sm_MHz }) => sm_MHz ?? []);
  return clocks.length === 0 ? null : { low: Math.min(...clocks), high: Math.max(...clocks) };
}

function provenanceOf(loaded: Loaded): Provenance {
  const measuredAt = loaded.created;
  if (loaded.kind === 'run') {
    const { machine, program } = loaded.run;
    const { version, commit } = program;
    const none = { driver: null, sm_MHz: null };
    return { machine: machine.device ?? machine.cpu, version, commit, measured: measuredAt, ...none };
  }
  const { machine, program } = loaded.report;
  const onGpu = loaded.kind === 'external' || loaded.entry.device === 'cuda';
  const gpu = onGpu ? machine.gpu : null;
  return {
    machine: gpu?.name ?? machine.cpu,
    driver: gpu?.driver ?? null,
    sm_MHz: loaded.kind === 'entry' ? clocksOf(loaded.entry.samples) : null,
    version: program.version,
    commit: program.commit ?? null,
    measured: measuredAt,
  };
}

function ownOf(loaded: Loaded): Own {
  const { subject, origin, times } = loaded;
  const common = {
    subject,
    origin,
    provenance: provenanceOf(loaded),
    time_interval: medianInterval(times, seed),
    has_dose: loaded.dose !== null,
  };
  const plain = times.map((time_s, round) => ({ round, time_s, flag: null }));
  if (loaded.kind === 'run') {
    const { run } = loaded;
    const { ledger } = summaryOf(run);
    const { axes, machine } = run;
    const time_s = times[0] ?? run.solve_s;
    return {
      ...common,
      title: `${run.name}: ${run.variant}`,
      scenario: run.name,
      variant: run.variant,
      device: machine.device ?? `${machine.cpu}, ${run.threads} threads`,
      precision: run.precision,
      stepping: null,
      time_s,
      spread: null,
      wall_s: run.wall_s,
      setup_s: run.setup_s,
      first_setup_s: null,
      setup_parts: [],
      modes: [],
      steps: run.steps,
      cells: axes.energies_MeV.length * axes.ntheta * axes.nz * axes.nx,
      cell_steps_per_s: run.cell_steps / time_s,
      ledger_error: Math.max(Math.abs(ledger.number.rel_error), Math.abs(ledger.energy.rel_error)),
      determinism: null,
      flagged: 0,
      samples: plain,
      r80_mm: depthDoseOf(measured(run)).metrics.r80_mm,
    };
  }
  const { machine, scenario } = loaded.report;
  if (loaded.kind === 'external') {
    const { external, result } = loaded;
    return {
      ...common,
      title: external.title,
      scenario,
      variant: external.id,
      device: result.device,
      precision: result.precision,
      stepping: null,
      time_s: result.time_s,
      spread: result.spread,
      wall_s: result.wall_s,
      setup_s: result.setup_s,
      first_setup_s: null,
      setup_parts: [],
      modes: [],
      steps: result.steps,
      cells: result.steps === 0 ? null : result.cell_steps / result.steps,
      cell_steps_per_s: result.cell_steps / result.time_s,
      ledger_error: result.ledger_error,
      determinism: null,
      flagged: 0,
      samples: plain,
      r80_mm: null,
    };
  }
  const { entry } = loaded;
  const gpu = entry.gpu === undefined ? '' : `, GPU ${entry.gpu}`;
  const { runs, bitwise, spread } = entry.determinism;
  return {
    ...common,
    title: entry.label,
    scenario,
    variant: entry.variant,
    device: entry.device === 'cpu' ? `${machine.cpu}, ${entry.threads} threads` : `${machine.gpu?.name ?? 'GPU'}${gpu}`,
    precision: entry.precision,
    stepping: entry.stepping,
    time_s: entry.time_s,
    spread: entry.solve_spread,
    wall_s: entry.wall_s,
    setup_s: entry.setup_s,
    first_setup_s: entry.first.setup_s,
    setup_parts: entry.setup_parts,
    modes: entry.modes.map(({ mode, time_s, ratio, reason }) => ({ mode, time_s, ratio, reason })),
    steps: entry.steps,
    cells: entry.cells,
    cell_steps_per_s: entry.cell_steps_per_s,
    ledger_error: entry.ledger_error,
    determinism: { runs, bitwise, spread },
    flagged: entry.flagged,
    samples: times.map((time_s, round) => ({ round, time_s, flag: entry.samples[round]?.flag ?? null })),
    r80_mm: null,
  };
}

/** In the same rounds: then round i of both was taken side by side. */
function pairedWith(here: Loaded, reference: Loaded): boolean {
  const session = ({ subject }: Loaded): string =>
    subject.kind === 'entry' ? JSON.stringify([subject.bench, subject.report]) : '';
  return session(here) !== '' && session(here) === session(reference) && here.times.length === reference.times.length;
}

function ratioTo(here: Loaded, reference: Loaded, paired: boolean): ComparedRow['ratio'] {
  const interval = paired ? ratioInterval : unpairedRatioInterval;
  return {
    value: median(here.times) / median(reference.times),
    interval: here === reference ? null : interval(here.times, reference.times, seed),
  };
}

export function floorOf(loaded: Loaded): number | null {
  return loaded.kind === 'run' ? null : loaded.report.noise.floor;
}

/** The larger of the two sessions' floors: what either could not tell, both together cannot. */
function floorFor(here: Loaded, reference: Loaded): number | null {
  const [a, b] = [floorOf(here), floorOf(reference)];
  return a === null || b === null ? null : Math.max(a, b);
}

interface Parity {
  readonly rel_l2: number | null;
  readonly rel_l2_limit: number | null;
}

/** Values of the scenario that are about how it is solved, not what. */
const howSolved = /^(solver\.(variant|precision|threads|device)|output|name|notes)(\.|$)/;

function parityOf(here: Loaded, reference: Loaded): Parity {
  if (here.kind === 'entry') return { rel_l2: here.entry.rel_l2, rel_l2_limit: here.entry.rel_l2_limit };
  if (here.kind === 'external') return { rel_l2: here.result.rel_l2, rel_l2_limit: here.result.rel_l2_limit };
  if (here === reference || here.dose === null || reference.dose === null || !sameGrid(here.dose, reference.dose)) {
    return { rel_l2: null, rel_l2_limit: null };
  }
  const other = reference.kind === 'run' ? reference.run.precision : null;
  const limit = Math.max(parityLimit[here.run.precision], parityLimit[other ?? here.run.precision]);
  const problemDiffers =
    here.document === null ||
    reference.document === null ||
    reference.kind !== 'run' ||
    scenarioDifferences(reference.document, here.document).some(({ what }) => !howSolved.test(what));
  // A dose of another problem is no error.
  return {
    rel_l2: relativeL2(here.dose.dose, reference.dose.dose),
    rel_l2_limit: problemDiffers ? null : limit,
  };
}

function environmentOf(loaded: Loaded): Readonly<Record<string, string>> {
  if (loaded.kind === 'run') {
    const { program, machine, isa, threads, table } = loaded.run;
    return {
      version: program.version,
      compiler: program.compiler,
      commit: program.commit ?? 'not recorded',
      cpu: machine.cpu,
      system: machine.os,
      gpu: machine.device ?? 'none',
      'instruction set': isa,
      threads: String(threads),
      'stopping power': table,
    };
  }
  const { program, machine, scenario } = loaded.report;
  return {
    version: program.version,
    compiler: program.compiler,
    commit: program.commit ?? 'not recorded',
    cpu: machine.cpu,
    system: machine.os,
    gpu: machine.gpu?.name ?? 'none',
    driver: machine.gpu?.driver ?? 'none',
    scenario,
  };
}

function differencesOf(here: Loaded, reference: Loaded): ComparedRow['differences'] {
  const [a, b] = [environmentOf(reference), environmentOf(here)];
  const machine = Object.keys(b).flatMap((what) =>
    a[what] === undefined || a[what] === b[what] ? [] : [{ what, reference: a[what], here: b[what] ?? '' }],
  );
  if (here.document === null || reference.document === null || here.kind !== reference.kind) return machine;
  const scenario = scenarioDifferences(reference.document, here.document);
  return [...machine, ...scenario.map(({ what, first, here: value }) => ({ what, reference: first, here: value }))];
}

function isWrong(here: Loaded, { rel_l2, rel_l2_limit }: Parity): boolean {
  if (here.kind === 'external' && here.result.wrong) return true;
  return rel_l2 !== null && rel_l2_limit !== null && !(rel_l2 <= rel_l2_limit);
}

function sameSession({ subject: a }: Own, { subject: b }: Own): boolean {
  return a.kind !== 'run' && b.kind !== 'run' && a.bench === b.bench && a.report === b.report;
}

function noteOf(own: Own, reference: Own, ratio: ComparedRow['ratio'], paired: boolean): string | null {
  if (own === reference) return null;
  if (own.cells !== null && reference.cells !== null && own.cells !== reference.cells) {
    return 'another grid than the reference: the times do not compare';
  }
  if (own.scenario !== reference.scenario) return `another scenario: ${own.scenario}`;
  if (ratio.interval === null) return 'too few samples for an interval';
  if (own.provenance.machine !== reference.provenance.machine) return `on another machine: ${own.provenance.machine}`;
  if (paired) return null;
  return sameSession(own, reference)
    ? 'timed after the rounds and not in them: drifts of the machine do not cancel'
    : 'of another session: drifts of the machine do not cancel';
}

function verdictFor(
  own: Own,
  reference: Own,
  parity: Parity,
  here: Loaded,
  ratio: ComparedRow['ratio'],
  floor: number | null,
) {
  if (isWrong(here, parity)) return 'wrong';
  if (own === reference) return 'reference';
  const anotherGrid = own.cells !== null && reference.cells !== null && own.cells !== reference.cells;
  return anotherGrid ? 'undecided' : verdictOf(ratio.interval, floor);
}

/** Rows in the order given; `reference` is one of `all`. */
export function comparedRows(all: readonly Loaded[], reference: Loaded): ComparedRow[] {
  const referenceOwn = ownOf(reference);
  return all.map((here) => {
    const own = here === reference ? referenceOwn : ownOf(here);
    const paired = pairedWith(here, reference);
    const ratio = ratioTo(here, reference, paired);
    const parity = parityOf(here, reference);
    return {
      ...own,
      ...parity,
      ratio,
      paired,
      verdict: verdictFor(own, referenceOwn, parity, here, ratio, floorFor(here, reference)),
      note: noteOf(own, referenceOwn, ratio, paired),
      differences: here === reference ? [] : differencesOf(here, reference),
    };
  });
}
