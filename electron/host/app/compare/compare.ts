/** Compares stored runs with the first of them. */

import type { GammaQuantity } from '../../../contract/dose.ts';
import { migrateIfPossible } from '../../../contract/scenario/index.ts';
import { runToCompletion, type YieldingTask } from '../../../domain/values/pausing.ts';
import { runInSlices } from '../../io/flow/cooperative.ts';
import { parityLimit, relativeL2 } from '../../model/bench/bench-candidate.ts';
import { type GammaResult, gammaIndex } from '../../model/fields/gamma.ts';
import { depthDoseOf } from '../../workloads/transport/metrics/run-metrics.ts';
import { gammaMap, summaryOf, supportedGammaQuantity } from '../../workloads/transport/readouts.ts';
import { measuredRunOf, type RunData, stepsTime_s } from '../../workloads/transport/run-data.ts';
import { shareCells } from '../../workloads/transport/user-kernels.ts';

interface NamedRun {
  readonly file: string;
  readonly run: RunData;
}

export interface ComparedRun {
  readonly file: string;
  readonly scenario: string;
  readonly variant: string;
  readonly precision: string;
  readonly status: string;
  /** Time of the steps in seconds by the GPU's clock, or by the host's clock for CPU runs. */
  readonly time_s: number;
  /** Time of the steps in seconds by the host's clock. */
  readonly solve_s: number;
  readonly setup_s: number;
  readonly wall_s: number;
  readonly cell_steps_per_s: number;
  readonly r80_mm: number | null;
  readonly ledger_error: { readonly number: number; readonly energy: number };
  /** Comparison with the first run; null for the first run itself. */
  readonly against_first: {
    /** Time of the steps divided by that of the first run. There is no interval, because each ran only once. */
    readonly time_ratio: number;
    /**
     * Relative L2 norm of the dose difference. If the grids differ, it is null and `reason` describes the difference.
     */
    readonly rel_l2: number | null;
    /** Largest dose difference in a cell, divided by the largest dose of the first run. */
    readonly rel_linf: number | null;
    readonly same_bits: boolean;
    readonly reason: string | null;
    readonly gamma: readonly GammaResult[];
    readonly gamma_by: GammaQuantity;
    readonly within_parity: boolean | null;
  } | null;
  /** Differing properties of environment and scenario: name, value in the first run, value in this run. */
  readonly differences: readonly { readonly what: string; readonly first: string; readonly here: string }[];
}

const criteria = [
  { dose: 0.01, distance_mm: 1 },
  { dose: 0.02, distance_mm: 2 },
] as const;

function environmentOf(run: RunData): Readonly<Record<string, string>> {
  const { program, machine } = run;
  return {
    program: program.version,
    commit: program.commit ?? 'not recorded',
    build: program.build,
    compiler: program.compiler,
    cpu: machine.cpu,
    cores: String(machine.logicalCores),
    device: machine.device ?? 'cpu',
    system: machine.os,
    'instruction set': run.isa,
    threads: String(run.threads),
    'stopping power': run.table,
  };
}

type Differences = ComparedRun['differences'];

/** Number of values compared between two yields. Comparing them needs less than a millisecond. */
const VALUES_PER_SLICE = 200;

/** Finds the values in which two complete scenarios differ, by path. */
function* findDifferences(first: unknown, here: unknown): YieldingTask<Differences> {
  const found: Differences[number][] = [];
  let seen = 0;
  function* visit(a: unknown, b: unknown, path: string): YieldingTask<void> {
    seen += 1;
    if (seen % VALUES_PER_SLICE === 0) yield;
    if (a !== null && b !== null && typeof a === 'object' && typeof b === 'object') {
      const [one, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
      for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
        if (/^(\$schema|name|notes)$/.test(key)) continue;
        yield* visit(one[key], other[key], path === '' ? key : `${path}.${key}`);
      }
    } else if (!Object.is(a, b)) found.push({ what: path, first: valueText(a), here: valueText(b) });
  }
  yield* visit(first, here, '');
  return found;
}

const valueText = (value: unknown): string => (value === undefined ? 'absent' : JSON.stringify(value));

export const scenarioDifferences = (first: unknown, here: unknown): Differences =>
  runToCompletion(findDifferences(migrateIfPossible(first), migrateIfPossible(here)));

/** Like `scenarioDifferences`, but lets other tasks run between slices of work. */
export const scenarioDifferencesInSlices = (first: unknown, here: unknown): Promise<Differences> =>
  runInSlices(findDifferences(migrateIfPossible(first), migrateIfPossible(here)));

function compareConditions(first: RunData, here: RunData): ComparedRun['differences'] {
  const [a, b] = [environmentOf(first), environmentOf(here)];
  const machine = Object.keys(a).flatMap((what) =>
    a[what] === b[what] ? [] : [{ what, first: a[what] ?? '', here: b[what] ?? '' }],
  );
  return [...machine, ...scenarioDifferences(first.completeScenario, here.completeScenario)];
}

function compareWithFirst(first: RunData, here: RunData, requested: GammaQuantity): ComparedRun['against_first'] {
  const by = supportedGammaQuantity(requested, [first, here]);
  const [a, b] = [first.axes, here.axes];
  const sameGrid = a.nz === b.nz && a.nx === b.nx && a.dz_mm === b.dz_mm && a.dx_mm === b.dx_mm;
  const peak = first.dose.reduce((most, d) => Math.max(most, Math.abs(d)), 0);
  const largest = here.dose.reduce((most, d, i) => Math.max(most, Math.abs(d - (first.dose[i] ?? 0))), 0);
  const rel_l2 = sameGrid ? relativeL2(here.dose, first.dose) : null;
  const limit = Math.max(parityLimit[first.precision], parityLimit[here.precision]);
  return {
    time_ratio: stepsTime_s(here) / stepsTime_s(first),
    rel_l2,
    rel_linf: sameGrid && peak > 0 ? largest / peak : null,
    same_bits: sameGrid && here.dose.every((d, i) => Object.is(d, first.dose[i])),
    reason: sameGrid ? null : `the grids differ: ${a.nz} × ${a.nx} and ${b.nz} × ${b.nx} cells of depth and x`,
    gamma: criteria.map((one) => gammaIndex(gammaMap(first, by), gammaMap(here, by), one)),
    gamma_by: by,
    within_parity: rel_l2 === null || !shareCells(first.variant, here.variant) ? null : rel_l2 <= limit,
  };
}

/** Compares all runs with the first one. `runs` must not be empty. `by`: dose quantity of the gamma index. */
export function compareRuns(runs: readonly NamedRun[], by: GammaQuantity = 'mass'): readonly ComparedRun[] {
  const first = runs[0]?.run;
  return runs.map(({ file, run }, i): ComparedRun => {
    const { ledger } = summaryOf(run);
    return {
      file,
      scenario: run.name,
      variant: run.variant,
      precision: run.precision,
      status: run.status,
      time_s: stepsTime_s(run),
      solve_s: run.solve_s,
      setup_s: run.setup_s,
      wall_s: run.wall_s,
      cell_steps_per_s: run.cell_steps / stepsTime_s(run),
      r80_mm: depthDoseOf(measuredRunOf(run)).metrics.r80_mm,
      ledger_error: { number: ledger.number.rel_error, energy: ledger.energy.rel_error },
      against_first: i === 0 || first === undefined ? null : compareWithFirst(first, run, by),
      differences: i === 0 || first === undefined ? [] : compareConditions(first, run),
    };
  });
}
