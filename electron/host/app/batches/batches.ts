/** Queued batches of beams. A batch runs exclusively because it uses every core or the GPU. */
import { randomBytes } from 'node:crypto';
import type { BraggError } from '../../../contract/errors.ts';
import { EVERY_LANE, type Lanes } from '../../io/flow/lanes.ts';
import type { Override, Scenarios, TransportReading } from '../../workloads/scenarios/index.ts';
import { type BatchBeam, type BatchOptions, BeamSolver, solveBatch } from '../../workloads/transport/batch.ts';
import { runsOnOneGrid, solveOnOneGrid } from '../../workloads/transport/one-grid.ts';
import { readOneGrid } from '../../workloads/transport/one-grid-sweep.ts';
import type { RunData } from '../../workloads/transport/run-data.ts';

export type { SolvedBeam } from '../../workloads/transport/batch.ts';

interface BatchRequest extends Pick<BatchOptions, 'signal' | 'ended'> {
  readonly beams: readonly BatchBeam[];
  /** Beams at the same time; one a core by default. */
  readonly lanes?: number;
}

/** The spots of one scenario, each by itself; they are numbered as there. */
interface OneGridRequest extends Pick<BatchOptions, 'signal' | 'ended'> {
  readonly name: string;
  readonly reading: TransportReading;
  /** GPUs that share the beams: `all`, or several by index or UUID with commas; the usual one where it is not given. */
  readonly gpus?: string;
}

export class Batches {
  readonly #queue: Lanes;
  readonly #options: Omit<BatchOptions, 'signal' | 'ended'>;

  constructor(queue: Lanes, options: Omit<BatchOptions, 'signal' | 'ended'>) {
    this.#queue = queue;
    this.#options = options;
  }

  /** For a process that does nothing else: it waits for no queue. */
  solver(signal: AbortSignal, lanes: number): BeamSolver {
    return new BeamSolver({ ...this.#options, signal }, lanes);
  }

  /** Complete runs of all beams on one grid, solved together. Rejects if none can be solved. */
  runsOnOneGrid(
    name: string,
    reading: TransportReading,
    told: { readonly signal: AbortSignal; readonly ended: (index: number, run: RunData | BraggError) => void },
  ): Promise<void> {
    return runsOnOneGrid(name, reading, { ...this.#options, ...told });
  }

  /** Solves them when the machine is free. A beam that fails does so alone; an aborted signal ends it within a step. */
  solve({ beams, lanes = this.#options.machine.logicalCores, signal, ended }: BatchRequest): Promise<void> {
    return this.#alone(() => solveBatch(beams, lanes, { ...this.#options, signal, ended }));
  }

  /** The same of beams on one grid. Rejects where none can be solved. */
  solveOnOneGrid({ name, reading, ...request }: OneGridRequest): Promise<void> {
    return this.#alone(() => solveOnOneGrid(name, reading, { ...this.#options, ...request }));
  }

  /** The scenario whose spots they are: as it is, or its beam with every value of a sweep. Throws a BraggError. */
  readOneGrid(
    scenarios: Scenarios,
    file: string,
    overrides: readonly Override[],
    sweep: readonly (readonly Override[])[] | null,
  ): Promise<TransportReading> {
    return readOneGrid(scenarios, file, overrides, sweep);
  }

  #alone(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const run = (): Promise<void> => work().then(resolve, reject);
      this.#queue.add({ id: randomBytes(9).toString('base64url'), lane: EVERY_LANE, run });
    });
  }
}
