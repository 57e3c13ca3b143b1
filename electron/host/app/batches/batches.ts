/** Queues batches of beams. Each batch runs alone because it uses all cores or the GPU. */
import { randomBytes } from 'node:crypto';
import type { BraggError } from '../../../contract/errors.ts';
import { ALL_LANES, type LaneQueue } from '../../io/flow/lanes.ts';
import type { Override, Scenarios, TransportReading } from '../../workloads/scenarios/scenarios.ts';
import { type BatchBeam, type BatchOptions, BeamSolver, solveBatch } from '../../workloads/transport/batch.ts';
import {
  type BeamList,
  type BeamReadouts,
  readBeamList,
  readOneGrid,
  readoutsOnOneGrid,
  runsOnOneGrid,
  solveOnOneGrid,
} from '../../workloads/transport/one-grid.ts';
import type { RunData } from '../../workloads/transport/run-data.ts';

export type { SolvedBeam } from '../../workloads/transport/batch.ts';
export type { BeamReadouts } from '../../workloads/transport/one-grid.ts';

interface BatchRequest extends Pick<BatchOptions, 'signal' | 'onEnded'> {
  readonly beams: readonly BatchBeam[];
  /** Number of beams solved at the same time; one per core by default. */
  readonly lanes?: number;
}

/** Request to solve each spot of one scenario as a separate beam. Result i belongs to spot i of the scenario. */
interface OneGridRequest extends Pick<BatchOptions, 'signal' | 'onEnded'> {
  readonly name: string;
  readonly reading: TransportReading;
  /** GPUs that share the beams: `all`, or indices or UUIDs separated by commas; the default GPU if absent. */
  readonly gpus?: string;
}

export class Batches {
  readonly #queue: LaneQueue;
  readonly #options: Omit<BatchOptions, 'signal' | 'onEnded'>;

  constructor(queue: LaneQueue, options: Omit<BatchOptions, 'signal' | 'onEnded'>) {
    this.#queue = queue;
    this.#options = options;
  }

  /** Creates a solver that bypasses the queue, for a process that only solves these beams. */
  solver(signal: AbortSignal, lanes: number): BeamSolver {
    return new BeamSolver({ ...this.#options, signal }, lanes);
  }

  /**
   * Solves all beams together on one grid and reports each complete run. Bypasses the queue. Rejects if none can be
   * solved.
   */
  runsOnOneGrid(
    name: string,
    reading: TransportReading,
    callbacks: { readonly signal: AbortSignal; readonly onEnded: (index: number, run: RunData | BraggError) => void },
  ): Promise<void> {
    return runsOnOneGrid(name, reading, { ...this.#options, ...callbacks });
  }

  /**
   * Solves the beams when the machine is free. If one beam fails, the others continue. Aborting the signal ends the
   * batch within one step.
   */
  solve({ beams, lanes = this.#options.machine.logicalCores, signal, onEnded }: BatchRequest): Promise<void> {
    return this.#runExclusively(() => solveBatch(beams, lanes, { ...this.#options, signal, onEnded }));
  }

  /** Solves the beams of a scenario on one grid when the machine is free. Rejects if none can be solved. */
  solveOnOneGrid({ name, reading, ...request }: OneGridRequest): Promise<void> {
    return this.#runExclusively(() => solveOnOneGrid(name, reading, { ...this.#options, ...request }));
  }

  /** Reads the scenario with its spots, or with its beam at every value of a sweep. Throws BraggError. */
  readOneGrid(
    scenarios: Scenarios,
    file: string,
    overrides: readonly Override[],
    sweep: readonly (readonly Override[])[] | null,
  ): Promise<TransportReading> {
    return readOneGrid(scenarios, file, overrides, sweep);
  }

  /**
   * Computes readouts of beams on one grid, without maps, when the machine is free. Rejects if a beam cannot be solved.
   */
  readouts(
    name: string,
    beams: BeamList,
    options: { readonly signal: AbortSignal; readonly curves: boolean; readonly gpus?: string },
  ): Promise<BeamReadouts> {
    return this.#runExclusively(() => readoutsOnOneGrid(name, beams, { ...this.#options, ...options }));
  }

  /** Like `readOneGrid`, but returns the form that `readouts` needs. */
  readBeamList(
    scenarios: Scenarios,
    file: string,
    overrides: readonly Override[],
    sweep: readonly (readonly Override[])[] | null,
  ): Promise<BeamList> {
    return readBeamList(scenarios, file, overrides, sweep);
  }

  #runExclusively<R>(work: () => Promise<R>): Promise<R> {
    return new Promise((resolve, reject) => {
      const run = (): Promise<void> => work().then(resolve, reject);
      this.#queue.add({ id: randomBytes(9).toString('base64url'), lane: ALL_LANES, run });
    });
  }
}
