/** A variant of proton transport in a session: every run allocates, uploads and fills its state again. */
import type { Mode } from '../../../../contract/bench/bench-session.ts';
import { BraggError } from '../../../../contract/errors.ts';
import { isUserKernelId } from '../../../../contract/user-kernels.ts';
import type { NativeAddon, TransportProblem } from '../../../io/addon/addon.ts';
import type { Candidate } from '../../../model/bench/candidates.ts';
import type { ColdRun } from '../../../model/bench/cold/process.ts';
import type { Contestant, EntryHead, Known, Taken } from '../../../model/bench/contestant.ts';
import { type Measured, measure, timeOf } from '../../../model/bench/measure.ts';
import { oracleFor } from '../../../model/bench/oracle.ts';
import { parityLimit, relativeL2, type Values } from '../../../model/bench/parity.ts';
import { VariedRuns } from '../../varied-runs.ts';
import {
  cellSteps,
  depthDoseError,
  depthDoseLimit,
  doseError,
  ledgerError,
  ledgerErrorOf,
  onSameCells,
} from '../accuracy.ts';
import { metricsOf } from '../metrics/run-metrics.ts';
import { measuredResult } from '../run-data.ts';

export function headOf({ label, variant, problem, note, gpu }: Candidate): EntryHead {
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

/** Null if the variant is a user kernel. */
export function coldRunOf({ variant, problem }: Candidate): ColdRun | null {
  if (isUserKernelId(variant.id)) return null;
  const calls = [{ method: 'start', args: [{ unwatched: true }], reports: true }];
  return { factory: 'createTransport', problem, calls };
}

function takenOf({ timing, result, clocks }: Measured): Taken {
  const { setup_s, solve_s, device_s, wall_s } = timing;
  const parts = new Map<string, number>();
  for (const { name, seconds } of result.setup_parts) parts.set(name, (parts.get(name) ?? 0) + seconds);
  return {
    ...{ setup_s, device_s, wall_s, clocks, parts },
    time_s: timeOf(timing),
    repetitions: 1,
    host_s: solve_s,
    values: result.dose,
  };
}

/** Beams lose up to this share of their energy: grids stay as they are, and the time with them. */
const MOST_LESS_ENERGY = 0.004;

function withLessEnergy(problem: TransportProblem, share: number): TransportProblem {
  const less = <B extends TransportProblem['beam']>(beam: B): B => ({
    ...beam,
    energy_MeV: beam.energy_MeV * (1 - MOST_LESS_ENERGY * share),
  });
  const { beam, spots } = problem;
  return { ...problem, beam: less(beam), ...(spots !== undefined && { spots: spots.map(less) }) };
}

export class TransportContestant implements Contestant {
  readonly #addon: NativeAddon;
  readonly #candidate: Candidate;
  readonly #signal: AbortSignal | undefined;
  /** Null if the variant is shipped: the parity tests check those. */
  readonly #varied: VariedRuns | null;
  #first: Measured | null = null;

  constructor(addon: NativeAddon, candidate: Candidate, signal: AbortSignal | undefined) {
    this.#addon = addon;
    this.#candidate = candidate;
    this.#signal = signal;
    this.#varied = isUserKernelId(candidate.variant.id) ? new VariedRuns(this.#variation()) : null;
  }

  async first(): Promise<Taken | null> {
    const measured = await this.#run('first');
    this.#first = measured;
    return measured && takenOf(measured);
  }

  async take(mode: Mode): Promise<Taken | null> {
    if (mode === 'graph' && this.#candidate.variant.device === 'cpu') {
      throw new BraggError('unsupported', 'the CPU launches nothing that a graph could replay');
    }
    const measured = await this.#run(mode);
    if (measured === null) return null;
    const taken = takenOf(measured);
    if (mode === 'warm' && (await this.#varied?.sampled(taken.time_s)) === false) return null;
    return taken;
  }

  async answer() {
    if ((await this.#varied?.check()) === false) return null;
    return { values: this.#result.dose };
  }

  accuracy(oracle: Values | null) {
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
    const { r80_mm } = metricsOf(measuredResult(this.#candidate.problem, this.#plan, this.#result));
    return [
      cellSteps(cell_steps / time_s),
      { id: 'steps', title: 'Steps taken', value: steps, unit: '' },
      ...(r80_mm === null ? [] : [{ id: 'r80', title: 'R80', value: r80_mm, unit: 'mm' }]),
      ...(secondaries === undefined
        ? []
        : [
            {
              id: 'products',
              title: 'Products of nuclear reactions, beside the steps',
              value: secondaries.seconds,
              unit: 's',
            },
          ]),
    ];
  }

  known(): Known {
    const { threads, isa, peak_state_bytes, cell_steps, bytes_per_cell_step, flops_per_cell_step } = this.#result;
    const { ne, ntheta, nz, nx } = this.#plan;
    const { precision, stepping } = this.#candidate.problem.solver;
    const flops = flops_per_cell_step * cell_steps;
    return {
      ...{ threads, isa },
      state_bytes: peak_state_bytes,
      size: ne * ntheta * nz * nx,
      work: {
        // Declared bytes are of FP32; FP64 moves twice as many.
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

  async #run(mode: Mode | 'first', problem = this.#candidate.problem): Promise<Measured | null> {
    const measured = await measure(this.#addon, problem, this.#signal, mode);
    return measured.result.status === 'done' ? measured : null;
  }

  #doseError(dose: Values, oracle: Values | null) {
    const { problem, variant } = this.#candidate;
    return onSameCells(variant.id, 'reference')
      ? doseError(oracle === null ? null : relativeL2(dose, oracle), parityLimit[problem.solver.precision])
      : depthDoseError(dose, oracle, this.#plan.nx, depthDoseLimit);
  }

  #variation(): ConstructorParameters<typeof VariedRuns>[0] {
    const { problem } = this.#candidate;
    return {
      title: (share) => `${(100 * MOST_LESS_ENERGY * share).toPrecision(2)} % less beam energy`,
      run: async (share) => {
        const measured = await this.#run('warm', withLessEnergy(problem, share));
        return measured && { values: measured.result.dose, time_s: timeOf(measured.timing) };
      },
      judge: async ({ values }, share) => {
        const { oracle } = await oracleFor(this.#addon, withLessEnergy(problem, share), this.#signal);
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

  get #measured(): Measured {
    if (this.#first === null) throw new Error(`${this.#candidate.label} was asked before its first run`);
    return this.#first;
  }
}
