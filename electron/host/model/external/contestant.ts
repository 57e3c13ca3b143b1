/**
 * Another program as a candidate of a session: interleaved with ours, checked against the same reference, and started
 * cold.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mode, Quantity } from '../../../contract/bench/bench-session.ts';
import type { Accuracy } from '../../../contract/bench/session.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import { usedGpu } from '../../io/addon/gpu.ts';
import type { ColdStart } from '../bench/cold/process.ts';
import type { Contestant, EntryHead, Known, Taken } from '../bench/contestant.ts';
import type { Repeats, Values } from '../bench/parity.ts';
import {
  type Answered,
  answeredSchema,
  Conversation,
  type Opened,
  openedSchema,
  PROTOCOL,
  preparedSchema,
  ranSchema,
  sampledSchema,
} from './conversation.ts';
import { readNpz } from './npz.ts';
import { type ChosenBaseline, missingFile } from './registry.ts';

/** Terms of a workload for measuring another program. */
export interface RivalTerms {
  /** The scenario with every default, the problem, and further fields of the request. */
  readonly request: Readonly<Record<string, unknown>>;
  /** The scenario's, where the registry does not say the program's own. */
  readonly precision: string;
  /**
   * `run`: a sample goes from the problem to the answer. `prepared`: one state is reused. `anew`: the state is prepared
   * again for every sample.
   */
  readonly samples: 'run' | 'prepared' | 'anew';
  /** A sample of a prepared state repeats it for at least so long. */
  readonly sample_s: number;
  /** Length of each array of the answer; absent if the engine checks it. */
  readonly lengths?: readonly number[];
  /** Accuracy of the answer; `oracle` is null if there is none. */
  readonly accuracy: (answer: RivalAnswer, oracle: Values | null) => readonly Accuracy[];
  /** Check by a reference inside the engine; `compared` describes that reference. */
  readonly hold?: (
    arrays: readonly Float64Array[],
    precision: string,
  ) => Promise<{ readonly accuracy: readonly Accuracy[]; readonly compared: string }>;
  /** That can be looked at; null where an answer is nothing to look at. */
  readonly values: (arrays: readonly Float64Array[]) => Values | null;
  readonly quantities: (answer: Answered, time_s: number) => readonly Quantity[];
  readonly size: number | null;
}

interface RivalAnswer {
  readonly told: Answered;
  readonly arrays: readonly Float64Array[];
  readonly precision: string;
}

interface RivalOptions {
  readonly addon: NativeAddon;
  readonly folder: string;
  readonly chosen: ChosenBaseline;
  readonly terms: RivalTerms;
  readonly signal?: AbortSignal | undefined;
}

export function rivalHead({ chosen: { baseline }, terms }: RivalOptions): EntryHead {
  const { id, title, device } = baseline;
  const precision = baseline.precision ?? terms.precision;
  return { label: id, variant: id, title, builds_on: null, device, precision, note: null, gpu: null };
}

async function open(options: RivalOptions, signal?: AbortSignal): Promise<[Conversation, Opened]> {
  const { addon, folder, chosen, terms } = options;
  const { baseline, file } = chosen;
  const missing = missingFile(chosen);
  if (missing !== null) throw new BraggError('unsupported', missing);
  const gpu = baseline.device === 'cuda' ? (usedGpu(addon.devices())?.uuid ?? null) : null;
  const conversation = new Conversation(baseline, { folder, gpu, signal });
  const common = { do: 'open', protocol: PROTOCOL, style: baseline.style };
  try {
    return [conversation, await conversation.ask({ ...common, file, ...terms.request }, openedSchema)];
  } catch (error) {
    await conversation.close();
    throw error;
  }
}

/** From the start of its process to its answer in that process's memory; interpreter and packages are in it. */
export function rivalCold(options: RivalOptions): ColdStart {
  return async (_label, _startChild, signal) => {
    const began = performance.now();
    const aborted = (): boolean => signal?.aborted === true;
    if (aborted()) return null;
    const sinceStart_s = (): number => (performance.now() - began) / 1000;
    try {
      const [conversation] = await open(options, signal);
      try {
        if (options.terms.samples === 'run') {
          const { setup_s, wall_s } = await conversation.ask({ do: 'run' }, ranSchema);
          return { time_s: sinceStart_s(), setup_s, wall_s };
        }
        await conversation.ask({ do: 'prepare' }, preparedSchema);
        await conversation.ask({ do: 'sample', at_least_s: 0 }, sampledSchema);
        return { time_s: sinceStart_s() };
      } finally {
        await conversation.close();
      }
    } catch (error) {
      if (aborted()) return null;
      throw error;
    }
  };
}

/** The interpreter's and NumPy's only where there is nothing else to tell. */
function versionText(versions: Opened['versions']): string {
  const all = Object.entries(versions);
  const own = all.filter(([name]) => name !== 'python' && name !== 'numpy');
  return (own.length === 0 ? all : own).map(([name, version]) => `${name} ${version}`).join(', ');
}

/** Calls give null once the signal is aborted. */
export class RivalContestant implements Contestant {
  readonly prepare?: () => Promise<boolean>;
  readonly #options: RivalOptions;
  #conversation: Conversation | null = null;
  #opened: Opened | null = null;
  #answer: RivalAnswer | null = null;
  #held: { readonly accuracy: readonly Accuracy[]; readonly compared: string } | null = null;
  readonly #hashes: string[] = [];
  #setup: Pick<Taken, 'setup_s' | 'parts'> | null = null;

  constructor(options: RivalOptions) {
    this.#options = options;
    if (options.terms.samples === 'prepared') this.prepare = () => this.#prepareAnew();
  }

  first(): Promise<Taken | null> {
    return this.#unlessAborted(async () => {
      const began = performance.now();
      const taken = await this.#take();
      // A first run in this session starts the program.
      return { ...taken, wall_s: taken.wall_s === null ? null : (performance.now() - began) / 1000 };
    });
  }

  take(mode: Mode): Promise<Taken | null> {
    if (mode !== 'warm') {
      const why = mode === 'cold' ? 'empties no caches' : 'launches by itself, which no graph replays';
      return Promise.reject(new BraggError('unsupported', `a program of its own ${why}`));
    }
    return this.#unlessAborted(() => this.#take());
  }

  answer() {
    return this.#unlessAborted(async () => {
      const { terms } = this.#options;
      const scratch = await mkdtemp(join(tmpdir(), 'braggbench-external-'));
      try {
        const file = join(scratch, 'answer.npz');
        const { conversation, opened } = await this.#open();
        const told = await conversation.ask({ do: 'answer', file, fresh: terms.samples !== 'run' }, answeredSchema);
        const bytes = await readFile(file);
        const arrays = told.arrays.map((name) => readNpz(bytes, name).values);
        for (const [i, length] of (terms.lengths ?? []).entries()) {
          const got = arrays[i]?.length ?? 0;
          if (got !== length) {
            throw new BraggError(
              'unsupported',
              `its answer has ${got} numbers in ${told.arrays[i]}, and not ${length}`,
            );
          }
        }
        const { precision } = opened;
        this.#answer = { told, arrays, precision };
        this.#held = (await terms.hold?.(arrays, precision)) ?? null;
        // Repetitions of a prepared state go on from what the one before left.
        if (terms.samples !== 'run') this.#hashes.push(told.hash, (await this.#again(file)).hash);
        if (terms.samples === 'prepared') await this.#prepareAnew();
        return { values: terms.values(arrays) };
      } finally {
        await rm(scratch, { recursive: true, force: true });
      }
    });
  }

  accuracy(oracle: Values | null): readonly Accuracy[] {
    return this.#held?.accuracy ?? this.#options.terms.accuracy(this.#answered, oracle);
  }

  quantities(time_s: number): readonly Quantity[] {
    return this.#options.terms.quantities(this.#answered.told, time_s);
  }

  known(): Known {
    const { told } = this.#answered;
    const versions = versionText(this.#opened?.versions ?? {});
    return {
      threads: this.#opened?.threads ?? null,
      isa: '',
      state_bytes: 0,
      size: this.#options.terms.size,
      work: { bytes: null, fp32_flops: null, fp64_flops: null, other_flops: null },
      repeats: this.#repeats,
      note: told.note ?? versions,
      compared: this.#held?.compared ?? null,
    };
  }

  async close(): Promise<void> {
    const conversation = this.#conversation;
    this.#conversation = null;
    await conversation?.close();
  }

  get #answered(): RivalAnswer {
    if (this.#answer === null) throw new Error(`${this.#options.chosen.baseline.id} was asked before it answered`);
    return this.#answer;
  }

  get #repeats(): Repeats | null {
    const [hash] = this.#hashes;
    if (hash === undefined) return null;
    const bitwise = this.#hashes.every((one) => one === hash);
    return { runs: this.#hashes.length, bitwise, spread: bitwise ? 0 : null, hash };
  }

  async #open(): Promise<{ readonly conversation: Conversation; readonly opened: Opened }> {
    if (this.#conversation === null || this.#opened === null) {
      [this.#conversation, this.#opened] = await open(this.#options, this.#options.signal);
    }
    return { conversation: this.#conversation, opened: this.#opened };
  }

  async #again(file: string): Promise<Answered> {
    const { conversation } = await this.#open();
    return conversation.ask({ do: 'answer', file, fresh: true }, answeredSchema);
  }

  async #prepareAnew(): Promise<boolean> {
    const done = await this.#unlessAborted(async () => {
      const { conversation } = await this.#open();
      const { setup_s, parts } = await conversation.ask({ do: 'prepare' }, preparedSchema);
      this.#setup = { setup_s, parts: new Map(Object.entries(parts)) };
      return true;
    });
    return done === true;
  }

  #clock() {
    const { addon, chosen } = this.#options;
    const device = chosen.baseline.device === 'cuda' ? usedGpu(addon.devices())?.uuid : undefined;
    return device === undefined ? null : addon.clockState({ device });
  }

  async #take(): Promise<Taken> {
    const { samples, sample_s } = this.#options.terms;
    const { conversation } = await this.#open();
    if (samples === 'run') {
      const before = this.#clock();
      const ran = await conversation.ask({ do: 'run' }, ranSchema);
      this.#hashes.push(ran.hash);
      const { setup_s, parts, device_s, host_s, wall_s } = ran;
      const clocks = { before, after: this.#clock() };
      const common = { repetitions: 1, values: null, parts: new Map(Object.entries(parts)) };
      return { ...common, setup_s, device_s, host_s, wall_s, clocks, time_s: device_s ?? host_s };
    }
    if (samples === 'anew' || this.#setup === null) await this.#prepareAnew();
    const before = this.#clock();
    const { repetitions, device_s, host_s } = await conversation.ask(
      { do: 'sample', at_least_s: sample_s },
      sampledSchema,
    );
    const clocks = { before, after: this.#clock() };
    const { setup_s = null, parts = new Map<string, number>() } = this.#setup ?? {};
    return {
      repetitions,
      device_s,
      host_s,
      setup_s,
      parts,
      clocks,
      wall_s: null,
      values: null,
      time_s: device_s ?? host_s,
    };
  }

  async #unlessAborted<T>(work: () => Promise<T>): Promise<T | null> {
    const aborted = (): boolean => this.#options.signal?.aborted === true;
    if (aborted()) return null;
    try {
      return await work();
    } catch (error) {
      if (aborted()) return null;
      throw error;
    }
  }
}
