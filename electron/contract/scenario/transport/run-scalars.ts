/**
 * Table of the scalar results of a transport run. The schema of the summary, the run file, the conversion of the
 * engine's result, and JSON derive from it. A new number needs an entry here and one in the native binding.
 */
import { z } from 'zod';

export interface RunScalar {
  /** Unit; empty for a dimensionless number. */
  readonly unit: string;
  readonly about: string;
  /** Location in the run file: a group and one of its attributes. */
  readonly at: readonly [group: 'engine' | 'timing', attribute: string];
  /** Smallest value, for an integer; absent for other numbers. */
  readonly whole?: 0 | 1;
  /** Name of the number in the engine's result; absent if the host computes it. */
  readonly engine?: string;
  /** Value to assume for older files that lack the number; without one, such files are rejected. */
  readonly before?: number;
  /** True if the run summary contains the number. */
  readonly summary?: true;
}

const runScalars = {
  steps: { unit: '', about: 'steps taken', at: ['timing', 'steps'], whole: 0, engine: 'steps', summary: true },
  wall_s: { unit: 's', about: 'from start to end', at: ['timing', 'wall_s'], summary: true },
  setup_s: { unit: 's', about: 'before the first step', at: ['timing', 'setup_s'], engine: 'setup_s', summary: true },
  solve_s: { unit: 's', about: 'in steps', at: ['timing', 'solve_s'], engine: 'solve_s', summary: true },
  device_s: {
    unit: 's',
    about: "time in steps by the GPU's clock; 0 on the CPU",
    at: ['timing', 'device_s'],
    engine: 'device_s',
  },
  cell_steps: {
    unit: '',
    about: 'cells visited, summed over the steps',
    at: ['timing', 'cell_steps'],
    engine: 'cell_steps',
    summary: true,
  },
  peak_state_bytes: {
    unit: 'bytes',
    about: 'largest amount of phase-space data in memory',
    at: ['timing', 'peak_state_bytes'],
    engine: 'peak_state_bytes',
  },
  bytes_per_cell_step: {
    unit: 'bytes',
    about: 'minimum memory traffic of the kernels that ran, in FP32',
    at: ['timing', 'bytes_per_cell_step'],
    engine: 'bytes_per_cell_step',
    before: 0,
  },
  peak_rss_bytes: { unit: 'bytes', about: 'peak of the process', at: ['timing', 'peak_rss_bytes'] },
  threads: {
    unit: '',
    about: 'threads of the CPU',
    at: ['engine', 'threads'],
    whole: 1,
    engine: 'threads',
    summary: true,
  },
  range_mm: { unit: 'mm', about: 'CSDA range in water', at: ['engine', 'range_in_water_mm'], engine: 'range_mean_mm' },
  step_mm: {
    unit: 'mm',
    about: 'path of one step along the beam axis',
    at: ['engine', 'step_mm'],
    before: 0,
  },
  end_excess_mm: {
    unit: 'mm',
    about: 'excess of the scored path length along the beam axis at the end of the range',
    at: ['engine', 'end_excess_mm'],
    engine: 'end_excess_mm',
    // For older files without the number, the reader estimates it.
    before: Number.NaN,
  },
  x_variance_of_representation_mm2: {
    unit: 'mm²',
    about: 'variance in x added by the initial discretisation',
    at: ['engine', 'x_variance_of_representation_mm2'],
    engine: 'x_variance_of_representation_mm2',
  },
  extra_straggling_mm: {
    unit: 'mm',
    about: 'range spread (sigma, in water) that the energy grid adds to the beam',
    at: ['engine', 'extra_straggling_mm'],
    engine: 'extra_straggling_mm',
  },
  min_psi_over_max: {
    unit: '',
    about: 'smallest cell value divided by the largest; negative if a scheme undershoots',
    at: ['engine', 'min_psi_over_max'],
    engine: 'min_psi_over_max',
    summary: true,
  },
} as const satisfies Readonly<Record<string, RunScalar>>;

type ScalarTable = typeof runScalars;
type RunScalarName = keyof ScalarTable;
type ScalarNameWith<Field> = { [N in RunScalarName]: ScalarTable[N] extends Field ? N : never }[RunScalarName];
type EngineScalarName = ScalarNameWith<{ engine: string }>;
type SummaryScalarName = ScalarNameWith<{ summary: true }>;

/** All scalar results by name. */
export type RunScalars = Readonly<Record<RunScalarName, number>>;
/** Scalar results, named as in the engine's result. */
export type EngineScalars = { readonly [N in EngineScalarName as ScalarTable[N]['engine']]: number };

export const runScalarEntries: readonly (readonly [RunScalarName, RunScalar])[] = Object.entries(runScalars) as [
  RunScalarName,
  RunScalar,
][];

const engineScalars = runScalarEntries.filter(([, { engine }]) => engine !== undefined);
const summaryScalars = runScalarEntries.filter(([, { summary }]) => summary === true);

function selectScalars<N extends RunScalarName, T>(
  some: typeof runScalarEntries,
  value: (name: RunScalarName, scalar: RunScalar) => T,
) {
  const values: Partial<Record<RunScalarName, T>> = {};
  for (const [name, scalar] of some) values[name] = value(name, scalar);
  return values as { readonly [Name in N]: T };
}

/** Selects the scalar results from the engine's result. */
export const scalarsFromEngine = (result: EngineScalars): Readonly<Record<EngineScalarName, number>> => {
  const values: Readonly<Record<string, number>> = result;
  return selectScalars(engineScalars, (_, { engine = '' }) => values[engine] ?? Number.NaN);
};

export const summaryScalarsOf = (run: RunScalars): Readonly<Record<SummaryScalarName, number>> =>
  selectScalars(summaryScalars, (name) => run[name]);

/** Schema of the scalar results that the summary contains. */
export const summaryScalarShape = selectScalars<SummaryScalarName, z.ZodNumber>(summaryScalars, (_, { whole }) =>
  whole === undefined ? z.number() : z.number().int().min(whole),
);
