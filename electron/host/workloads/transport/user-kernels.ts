/**
 * User kernels of proton transport, with the checks that every variant must pass: parity, conservation, determinism.
 * The run object implements the interface of the engine, but the process of the user kernel computes the result.
 * Requests that do not need its code (sizes, axes, checks) are handled by the variant that it is based on.
 *
 * Also defines accuracy and terms of the workload's sessions.
 */
import type { Accuracy, SessionTerms } from '../../../contract/bench/session.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { Precision } from '../../../contract/run.ts';
import { energyColumns, ledgerValue, numberColumns } from '../../../contract/scenario/transport/ledger-columns.ts';
import { type UserKernelVerdict, userKernelVerdict } from '../../../contract/user-kernels/checks.ts';
import type {
  Marginals,
  MeasuringSettings,
  NativeAddon,
  NativeCheckpoint,
  NativeLiveFrame,
  NativeProgress,
  PlaneRequest,
  TransportProblem,
  TransportResult,
  TransportRun,
} from '../../io/addon/addon.ts';
import { type AnswerValues, DeterminismCheck, parityLimit, relativeL2 } from '../../model/bench/bench-candidate.ts';
import { findOracle, oracleVariantId } from '../../model/bench/candidates.ts';
import { measureRun } from '../../model/bench/measure.ts';
import type { UserKernel } from '../../model/user-kernels/file.ts';
import {
  addUserKernels,
  LiveFrames,
  type LoadedUserKernel,
  type ProcessLease,
} from '../../model/user-kernels/loaded.ts';
import { runOf } from '../run-data.ts';
import { problemOf } from '../scenarios/scenarios.ts';
import { kernelReplacementError, replaceableRule, type UserKernelWorkload } from '../workload.ts';

export const transportSessionTerms: SessionTerms = {
  time: 'Steps',
  timeTip: 'of the steps',
  size: 'cells',
  rate: 'Cell-steps',
};

const isWithinBound = (value: number | null, bound: number | null): boolean =>
  bound === null || value === null || value <= bound;

/** Accuracy column of a dose error. `bound`: null if the results belong to different problems. */
export function doseError(value: number | null, bound: number | null): Accuracy {
  return {
    id: 'parity',
    title: 'Dose error',
    tip: 'Relative L2 difference of the dose from the FP64 reference; for a stored run, from the reference row',
    unit: '',
    value,
    bound,
    holds: isWithinBound(value, bound),
  };
}

/** Maximum relative error of the ledger's sums. A larger error means that protons or energy were created or lost. */
const ledgerLimit: Readonly<Record<Precision, number>> = { fp32: 1e-6, fp64: 1e-12 };

/**
 * Variants that choose their own planes and bins. Their results differ from those on a common grid by the
 * discretisation error.
 */
const separateGridVariants: ReadonlySet<string> = new Set(['moments', 'cuda-moments']);

/** Whether two variants use the same cells, so that correct doses agree to rounding. */
export const shareCells = (first: string, second: string): boolean =>
  separateGridVariants.has(first) === separateGridVariants.has(second);

/** Maximum relative L2 difference between the depth doses of two discretisations. R80 then agrees within a cell. */
export const depthDoseLimit = 0.01;

/** Integrates the dose across x. `nx`: number of cells in a row. */
function depthDose(dose: AnswerValues, nx: number): Float64Array {
  const rows = new Float64Array(Math.ceil(dose.length / nx));
  for (let i = 0; i < dose.length; i += 1) {
    const row = Math.floor(i / nx);
    rows[row] = (rows[row] ?? 0) + (dose[i] ?? 0);
  }
  return rows;
}

/** Compares the depth doses of variants on different cells. `bound`: as for doseError. */
export function depthDoseError(
  dose: AnswerValues,
  reference: AnswerValues | null,
  nx: number,
  bound: number | null,
): Accuracy {
  const value = reference === null ? null : relativeL2(depthDose(dose, nx), depthDose(reference, nx));
  return {
    id: 'depth-dose',
    title: 'Relative L2 error of the depth dose',
    tip: 'Relative L2 difference of the dose integrated across x from the FP64 reference on its grid',
    unit: '',
    value,
    bound,
    holds: isWithinBound(value, bound),
  };
}

/** Accuracy column of the ledger's error. `precision`: null to report the error without a limit. */
export function ledgerError(value: number, precision: Precision | null): Accuracy {
  const bound = precision === null ? null : ledgerLimit[precision];
  return {
    id: 'ledger',
    title: 'Ledger',
    tip: 'Larger of the relative errors of the number and the energy balance',
    unit: '',
    value,
    bound,
    holds: isWithinBound(value, bound),
  };
}

export const cellSteps = (value: number) => ({ id: 'rate', title: 'Cell-steps', value, unit: '1/s' });

/** Larger relative error of both ledgers, from the last row, which contains the sums over all steps. */
export function ledgerErrorOf({
  ledger_number,
  ledger_energy,
}: Pick<TransportResult, 'ledger_number' | 'ledger_energy'>): number {
  if (ledger_number.length === 0) return Number.NaN;
  const [number, energy] = [
    ledgerValue(ledger_number, numberColumns, 'rel_error'),
    ledgerValue(ledger_energy, energyColumns, 'rel_error'),
  ];
  return Math.max(Math.abs(number), Math.abs(energy));
}

/** Number of results to compare: the first one and one repetition. */
const REPEATS = 2;

type CheckedResult = Pick<TransportResult, 'dose' | 'ledger_number' | 'ledger_energy'>;

function judgeResults(
  results: readonly CheckedResult[],
  oracle: Float64Array | null,
  precision: Precision,
): UserKernelVerdict {
  const determinism = new DeterminismCheck();
  for (const { dose } of results) determinism.add(dose);
  // Use the largest value, because a kernel with an intermittent error is wrong. NaN counts as the largest.
  const worst = (of: (one: CheckedResult) => number): number => Math.max(...results.map(of));
  const rel_l2 = oracle === null ? null : worst(({ dose }) => relativeL2(dose, oracle));
  return userKernelVerdict(
    [doseError(rel_l2, parityLimit[precision]), ledgerError(worst(ledgerErrorOf), precision)],
    determinism.report(),
  );
}

/** Checks a run: runs the kernel once more, and the FP64 reference. Throws a BraggError. */
export async function checkTransport(
  addon: NativeAddon,
  problem: TransportProblem,
  first: CheckedResult,
  signal?: AbortSignal,
): Promise<UserKernelVerdict> {
  const quiet: TransportProblem = { ...problem, keyframes: 0 };
  const results: CheckedResult[] = [first];
  while (results.length < REPEATS) results.push((await measureRun(addon, quiet, signal)).result);
  const { oracle } = await findOracle(addon, quiet, signal);
  return judgeResults(results, oracle?.dose ?? null, problem.solver.precision);
}

class UserKernelTransportRun implements TransportRun {
  readonly plan: TransportRun['plan'];
  readonly #session: LoadedUserKernel;
  readonly #problem: TransportProblem;
  readonly #base: TransportRun;
  #lease: ProcessLease | null = null;
  #cancelled = false;
  #planes: readonly PlaneRequest[] | null = null;
  readonly #frames = new LiveFrames<NativeLiveFrame>();
  #checkpoint: NativeCheckpoint | null = null;
  #checkpointFrom: number | null = null;
  #asksCheckpoint = false;
  #keyframes: readonly Marginals[] = [];

  /**
   * `problem` and `base` (its run) belong to the variant that the kernel is based on. Does not run the kernel's code.
   */
  constructor(session: LoadedUserKernel, problem: TransportProblem, base: TransportRun) {
    this.#session = session;
    this.#problem = problem;
    this.#base = base;
    this.plan = { ...base.plan, variant: session.kernel.id };
  }

  async start(
    onProgress: (progress: NativeProgress) => void,
    measuring: MeasuringSettings = {},
  ): Promise<TransportResult> {
    const lease = await this.#session.lease('createTransport', this.#problem, this.plan.estimate_bytes);
    this.#lease = lease;
    try {
      if (this.#planes !== null) await lease.process.call('wantPlanes', [this.#planes]);
      if (this.#cancelled) lease.process.cancel();
      const result = (await lease.run('start', [measuring], (value) => {
        onProgress(value as NativeProgress);
        this.#forwardRequests(lease);
      })) as TransportResult;
      const last = (await lease.process.call('live', [])) as NativeLiveFrame | null;
      if (last !== null) this.#frames.setNewest(last);
      const keyframes: Marginals[] = [];
      for (const index of result.keyframes.keys()) {
        keyframes.push((await lease.process.call('keyframe', [index])) as Marginals);
      }
      this.#keyframes = keyframes;
      lease.release();
      return { ...result, variant: this.plan.variant };
    } catch (error) {
      lease.discard();
      throw error;
    } finally {
      this.#lease = null;
    }
  }

  cancel(): void {
    this.#cancelled = true;
    this.#lease?.process.cancel();
  }

  wantPlanes(planes: readonly PlaneRequest[]): void {
    this.#base.wantPlanes(planes);
    this.#planes = planes;
    void this.#lease?.process.call('wantPlanes', [planes]).catch(() => undefined);
  }

  keyframe(index: number): Marginals {
    const frame = this.#keyframes[index];
    if (frame === undefined) {
      throw new BraggError('invalid', 'keyframe(i): the run is not finished or has no such keyframe');
    }
    return frame;
  }

  live(): NativeLiveFrame | null {
    return this.#frames.takeNewest();
  }

  wantCheckpoint(knownKeyframes: number): void {
    this.#checkpointFrom = knownKeyframes;
  }

  checkpoint(): NativeCheckpoint | null {
    const state = this.#checkpoint;
    this.#checkpoint = null;
    return state;
  }

  /** Forwards pending requests to the kernel's process, one frame and one checkpoint at a time. */
  #forwardRequests(lease: ProcessLease): void {
    this.#frames.requestNext(lease);
    const { process } = lease;
    if (this.#checkpointFrom !== null) {
      void process.call('wantCheckpoint', [this.#checkpointFrom]).catch(() => undefined);
      this.#checkpointFrom = null;
      this.#asksCheckpoint = true;
      return;
    }
    if (!this.#asksCheckpoint) return;
    process.call('checkpoint', []).then(
      (state) => {
        if (state === null) return;
        this.#asksCheckpoint = false;
        const { variant } = this.plan;
        this.#checkpoint = { ...(state as NativeCheckpoint), variant };
      },
      () => undefined,
    );
  }
}

/** Returns the problem with the variant that a kernel is based on. */
const withBaseVariant = (problem: TransportProblem, { base }: UserKernel): TransportProblem => ({
  ...problem,
  solver: { ...problem.solver, variant: base.id },
});

export const transportUserKernels: UserKernelWorkload = {
  bases: (addon) => addon.variants(),
  replaceable: replaceableRule({ engine: ['registry.cpp', 'tables.cpp', 'energy_grid.cpp'] }),
  fixed: kernelReplacementError,
  reproducedProblem: (addon, reading, kernel) => {
    if (reading.kind !== 'transport') throw new Error(`a scenario of kind ${reading.kind} was passed to transport`);
    const problem = withBaseVariant({ ...problemOf(reading), keyframes: 0 }, kernel);
    const reference = oracleVariantId(addon, problem);
    const check = reference === null ? null : { reference, limit: parityLimit[problem.solver.precision] };
    return { kind: 'dose', problem, check };
  },
  extendEngine: (engine, known) => ({
    variants: () => addUserKernels(engine.variants(), known.list('transport')),
    createTransport: (problem) => {
      const kernel = known.find('transport', problem.solver.variant);
      if (kernel === null) return engine.createTransport(problem);
      const by = withBaseVariant(problem, kernel);
      return new UserKernelTransportRun(known.loaded(kernel), by, engine.createTransport(by));
    },
    layTransport: async (problem, memory) => {
      const kernel = known.find('transport', problem.solver.variant);
      if (kernel === null) return engine.layTransport(problem, memory);
      const by = withBaseVariant(problem, kernel);
      return new UserKernelTransportRun(known.loaded(kernel), by, await engine.layTransport(by));
    },
  }),
  check: (addon, reading, run, signal) => {
    if (reading.kind !== 'transport') throw new Error(`a scenario of kind ${reading.kind} was passed to transport`);
    const { dose, ledgerNumber, ledgerEnergy } = runOf('transport', run);
    const first = { dose, ledger_number: ledgerNumber, ledger_energy: ledgerEnergy };
    return checkTransport(addon, problemOf(reading), first, signal);
  },
};
