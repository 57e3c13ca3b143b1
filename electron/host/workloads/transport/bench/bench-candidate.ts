/**
 * A variant of proton transport in a benchmark session. Every run allocates, uploads and fills its state again. Also
 * builds requests of transport problems to external programs, and judges the accuracy of their doses.
 */
import type { Mode } from '../../../../contract/bench/bench-session.ts';
import { BraggError } from '../../../../contract/errors.ts';
import { isUserKernelId } from '../../../../contract/user-kernels.ts';
import type { NativeAddon, TransportProblem } from '../../../io/addon/addon.ts';
import {
  type AnswerValues,
  type BenchCandidate,
  type BenchEntry,
  type BenchSetup,
  type CandidateFacts,
  type CandidateIdentity,
  type Oracle,
  parityLimit,
  relativeL2,
  type TimedRun,
} from '../../../model/bench/bench-candidate.ts';
import { type Candidate, findOracle, makeCandidates } from '../../../model/bench/candidates.ts';
import type { Claim } from '../../../model/bench/claims.ts';
import { type ColdRunPlan, createColdStart } from '../../../model/bench/cold/processes.ts';
import { comparedTime_s, type MeasuredRun, measureRun } from '../../../model/bench/measure.ts';
import { judgeSessionClaims } from '../../../model/bench/report-claims.ts';
import type { ChosenBaseline } from '../../../model/external/conversation.ts';
import type { ProgramSettings } from '../../../model/external/program-candidate.ts';
import { VariedRuns } from '../../varied-runs.ts';
import { metricsOf } from '../metrics/run-metrics.ts';
import { measuredRunOfResult } from '../run-data.ts';
import {
  cellSteps,
  depthDoseError,
  depthDoseLimit,
  doseError,
  ledgerError,
  ledgerErrorOf,
  shareCells,
} from '../user-kernels.ts';

function candidateIdentityOf({ label, variant, problem, note, gpu }: Candidate): CandidateIdentity {
  return {
    label,
    variant: variant.id,
    title: variant.title,
    builds_on: variant.buildsOn,
    device: variant.device,
    precision: problem.solver.precision,
    note,
    gpu,
  };
}

/** Calls that a cold process makes. Null for a user kernel. */
function coldRunOf({ variant, problem }: Candidate): ColdRunPlan | null {
  if (isUserKernelId(variant.id)) return null;
  const calls = [{ method: 'start', args: [{ unwatched: true }], reports: true }];
  return { factory: 'createTransport', problem, calls };
}

function timedRunOf({ timing, result, clocks }: MeasuredRun): TimedRun {
  const { setup_s, solve_s, device_s, wall_s } = timing;
  const parts = new Map<string, number>();
  for (const { name, seconds } of result.setup_parts) parts.set(name, (parts.get(name) ?? 0) + seconds);
  return {
    ...{ setup_s, device_s, wall_s, clocks, parts },
    time_s: comparedTime_s(timing),
    repetitions: 1,
    host_s: solve_s,
    values: result.dose,
  };
}

/** Maximum relative reduction of the energy in a varied problem. It changes neither the grids nor the time. */
const MAX_LESS_ENERGY = 0.004;

function withLessEnergy(problem: TransportProblem, share: number): TransportProblem {
  const withLess = <B extends TransportProblem['beam']>(beam: B): B => ({
    ...beam,
    energy_MeV: beam.energy_MeV * (1 - MAX_LESS_ENERGY * share),
  });
  const { beam, spots } = problem;
  return { ...problem, beam: withLess(beam), ...(spots !== undefined && { spots: spots.map(withLess) }) };
}

class TransportBenchCandidate implements BenchCandidate {
  readonly #addon: NativeAddon;
  readonly #candidate: Candidate;
  readonly #signal: AbortSignal | undefined;
  /**
   * Runs on varied problems, which detect kernels that return stored results. Null for shipped variants, because the
   * parity tests check those.
   */
  readonly #varied: VariedRuns | null;
  #first: MeasuredRun | null = null;

  constructor(addon: NativeAddon, candidate: Candidate, signal: AbortSignal | undefined) {
    this.#addon = addon;
    this.#candidate = candidate;
    this.#signal = signal;
    this.#varied = isUserKernelId(candidate.variant.id) ? new VariedRuns(this.#variation()) : null;
  }

  async first(): Promise<TimedRun | null> {
    const measured = await this.#run('first');
    this.#first = measured;
    return measured && timedRunOf(measured);
  }

  async takeSample(mode: Mode): Promise<TimedRun | null> {
    if ((mode === 'graph' || mode === 'cold-graph') && this.#candidate.variant.device === 'cpu') {
      throw new BraggError('unsupported', 'CPU variants have no launches that a graph could replay');
    }
    const measured = await this.#run(mode);
    if (measured === null) return null;
    const taken = timedRunOf(measured);
    if (mode === 'warm' && (await this.#varied?.afterSample(taken.time_s)) === false) return null;
    return taken;
  }

  async answer() {
    if ((await this.#varied?.check()) === false) return null;
    return { values: this.#result.dose };
  }

  accuracy(oracle: AnswerValues | null) {
    const { precision } = this.#candidate.problem.solver;
    const judged = this.#doseError(this.#result.dose, oracle);
    const own = [judged, ledgerError(ledgerErrorOf(this.#result), precision)];
    return [...own, ...(this.#varied?.accuracy() ?? [])];
  }

  facts(): readonly (readonly [string, string])[] {
    return this.#varied === null ? [] : [[`Audits of ${this.#candidate.label}`, this.#varied.summary]];
  }

  quantities(time_s: number) {
    const { steps, cell_steps, secondaries } = this.#result;
    const { r80_mm } = metricsOf(measuredRunOfResult(this.#candidate.problem, this.#plan, this.#result));
    return [
      cellSteps(cell_steps / time_s),
      { id: 'steps', title: 'Steps taken', value: steps, unit: '' },
      ...(r80_mm === null ? [] : [{ id: 'r80', title: 'R80', value: r80_mm, unit: 'mm' }]),
      ...(secondaries === undefined
        ? []
        : [
            {
              id: 'products',
              title: 'Products of nuclear reactions, in addition to the steps',
              value: secondaries.seconds,
              unit: 's',
            },
          ]),
    ];
  }

  properties(): CandidateFacts {
    const { threads, isa, peak_state_bytes, cell_steps, bytes_per_cell_step, flops_per_cell_step } = this.#result;
    const { ne, ntheta, nz, nx } = this.#plan;
    const { precision, stepping } = this.#candidate.problem.solver;
    const flops = flops_per_cell_step * cell_steps;
    return {
      ...{ threads, isa },
      state_bytes: peak_state_bytes,
      size: ne * ntheta * nz * nx,
      work: {
        // Variants declare the bytes for FP32. FP64 moves twice as many.
        bytes: bytes_per_cell_step * (precision === 'fp64' ? 2 : 1) * cell_steps,
        fp32_flops: precision === 'fp32' ? flops : null,
        fp64_flops: precision === 'fp64' ? flops : null,
        other_flops: null,
      },
      repeats: null,
      note: stepping === 'depth' ? 'depth stepping' : null,
      compared: null,
    };
  }

  async close(): Promise<void> {}

  async #run(mode: Mode | 'first', problem = this.#candidate.problem): Promise<MeasuredRun | null> {
    const measured = await measureRun(this.#addon, problem, this.#signal, mode);
    return measured.result.status === 'done' ? measured : null;
  }

  #doseError(dose: AnswerValues, oracle: AnswerValues | null) {
    const { problem, variant } = this.#candidate;
    return shareCells(variant.id, 'reference')
      ? doseError(oracle === null ? null : relativeL2(dose, oracle), parityLimit[problem.solver.precision])
      : depthDoseError(dose, oracle, this.#plan.nx, depthDoseLimit);
  }

  #variation(): ConstructorParameters<typeof VariedRuns>[0] {
    const { problem } = this.#candidate;
    return {
      title: (share) => `a beam energy ${(100 * MAX_LESS_ENERGY * share).toPrecision(2)} % lower`,
      run: async (share) => {
        const measured = await this.#run('warm', withLessEnergy(problem, share));
        return measured && { values: measured.result.dose, time_s: comparedTime_s(measured.timing) };
      },
      judge: async ({ values }, share) => {
        const { oracle } = await findOracle(this.#addon, withLessEnergy(problem, share), this.#signal);
        return oracle === null ? [] : [this.#doseError(values, oracle.dose)];
      },
    };
  }

  get #result() {
    return this.#measured.result;
  }

  get #plan() {
    return this.#measured.plan;
  }

  get #measured(): MeasuredRun {
    if (this.#first === null) throw new Error(`${this.#candidate.label} was queried before its first run`);
    return this.#first;
  }
}

/** Converts a problem for external programs, which support only path stepping. */
function problemOnPath(problem: TransportProblem): TransportProblem {
  return { ...problem, solver: { ...problem.solver, stepping: 'path' } };
}

export function transportTerms(
  addon: NativeAddon,
  requested: TransportProblem,
  { baseline }: ChosenBaseline,
): ProgramSettings {
  // A user's program may use different physics, so there is no limit on its difference from our dose.
  const judged = baseline.path === undefined;
  const problem = problemOnPath(requested);
  const { precision } = problem.solver;
  const auto = { ...problem, solver: { ...problem.solver, variant: 'auto' } };
  const { steps_max, ne, ntheta, nz, nx } = addon.createTransport(auto).plan;
  return {
    request: { problem, steps_max },
    ...{ precision, samples: 'run', sample_s: 0, lengths: [nz * nx], size: ne * ntheta * nz * nx },
    accuracy: ({ arrays: [dose], reply: { ledger } }, oracle) => {
      const error = oracle === null || dose === undefined ? null : relativeL2(dose, oracle);
      const dosed = doseError(error, judged ? parityLimit[precision] : null);
      if (ledger === null) return [dosed];
      return [dosed, ledgerError(Math.max(ledger.number_error, ledger.energy_error), precision)];
    },
    values: ([dose]) => dose ?? null,
    quantities: ({ steps, cell_steps }, time_s) => [
      ...(cell_steps === null ? [] : [cellSteps(cell_steps / time_s)]),
      ...(steps === null ? [] : [{ id: 'steps', title: 'Steps taken', value: steps, unit: '' }]),
    ],
  };
}

interface TransportBenchOptions {
  /** Ids of variants, or `id@precision`, or `id:gpu`. */
  readonly variants: readonly string[];
  readonly claims?: readonly Claim[];
  /** External programs to time. They use path stepping. */
  readonly externalEntries?: readonly BenchEntry[];
  readonly signal?: AbortSignal | undefined;
}

/** Prepares the measurement. Throws a BraggError if a variant is unknown. */
export function transportBenchSetup(
  addon: NativeAddon,
  problem: TransportProblem,
  options: TransportBenchOptions,
): BenchSetup {
  const { claims = [], externalEntries = [], signal } = options;
  const all = makeCandidates(problem, options.variants, addon.variants());
  const stepping = new Map(all.map((one) => [one.label, one]));
  const known = new Map<string, Promise<Oracle>>();
  const path = problemOnPath(problem);
  const oracleOf = async (label: string): Promise<Oracle | null> => {
    const candidate = stepping.get(label) ?? { problem: path };
    const which = candidate.problem.solver.stepping;
    const found =
      known.get(which) ??
      findOracle(addon, candidate.problem, signal).then(({ oracle, reason }) => ({
        values: oracle?.dose ?? null,
        description: `${which}: ${oracle === null ? `none (${reason ?? 'no reason known'})` : `${oracle.variant} in fp64`}`,
      }));
    known.set(which, found);
    return found;
  };
  return {
    bench: '',
    title: 'Proton transport',
    benchEntries: [
      ...all.map((candidate) => ({
        head: candidateIdentityOf(candidate),
        createCandidate: () => new TransportBenchCandidate(addon, candidate, signal),
        cold: createColdStart(coldRunOf(candidate)),
      })),
      ...externalEntries,
    ],
    // One round, because every run allocates, uploads and fills its state again.
    roundsPerInstance: 1,
    oracle: ({ label }) => oracleOf(label),
    facts: () => [],
    claims: (report) => judgeSessionClaims(claims, report),
  };
}
