/**
 * External programs as candidates of a session. They are timed in the same rounds as the variants, checked against the
 * same reference, and also started cold. In reports they follow the variants.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mode, Quantity } from '../../../contract/bench/bench-session.ts';
import type { Accuracy } from '../../../contract/bench/session.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import { defaultGpu } from '../../io/addon/gpu.ts';
import type {
  AnswerValues,
  BenchCandidate,
  BenchEntry,
  CandidateFacts,
  CandidateIdentity,
  RepeatComparison,
  TimedRun,
} from '../bench/bench-candidate.ts';
import type { ColdStart } from '../bench/cold/processes.ts';
import {
  type AnswerReply,
  answerReplySchema,
  type ChosenBaseline,
  Conversation,
  missingFileReason,
  type OpenReply,
  openReplySchema,
  PROTOCOL_VERSION,
  type ProgramScope,
  parseBaselines,
  prepareReplySchema,
  readRegistry,
  runReplySchema,
  sampleReplySchema,
} from './conversation.ts';
import { readNpz } from './npz.ts';

/** Settings by which a workload measures external programs. */
export interface ProgramSettings {
  /** Fields of the request to the program: the scenario with all defaults, the problem, and further ones. */
  readonly request: Readonly<Record<string, unknown>>;
  /** Precision of the scenario, used if the registry states none for the program. */
  readonly precision: string;
  /**
   * Content of a sample. `run`: everything from the problem to the answer. `prepared`: repetitions with one prepared
   * state. `anew`: a state is prepared for each sample, untimed.
   */
  readonly samples: 'run' | 'prepared' | 'anew';
  /** Minimum duration of a sample in seconds. A run with a prepared state is repeated until it is reached. */
  readonly sample_s: number;
  /** Expected length of each array of the answer; absent if the engine checks the lengths. */
  readonly lengths?: readonly number[];
  /** Errors of the answer relative to the reference answer `oracle`, which is null if there is none. */
  readonly accuracy: (answer: ProgramAnswer, oracle: AnswerValues | null) => readonly Accuracy[];
  /** Checks the answer against a reference inside the engine, which `compared` describes. */
  readonly checkWithEngine?: (
    arrays: readonly Float64Array[],
    precision: string,
  ) => Promise<{ readonly accuracy: readonly Accuracy[]; readonly compared: string }>;
  /** Values of the answer for display; null if it cannot be displayed. */
  readonly values: (arrays: readonly Float64Array[]) => AnswerValues | null;
  readonly quantities: (answer: AnswerReply, time_s: number) => readonly Quantity[];
  readonly size: number | null;
}

interface ProgramAnswer {
  readonly reply: AnswerReply;
  readonly arrays: readonly Float64Array[];
  readonly precision: string;
}

interface ProgramOptions {
  readonly addon: NativeAddon;
  readonly folder: string;
  readonly chosen: ChosenBaseline;
  readonly terms: ProgramSettings;
  readonly signal?: AbortSignal | undefined;
}

function programIdentity({ chosen: { baseline }, terms }: ProgramOptions): CandidateIdentity {
  const { id, title, device } = baseline;
  const precision = baseline.precision ?? terms.precision;
  return { label: id, variant: id, title, builds_on: null, device, precision, note: null, gpu: null };
}

async function openProgram(options: ProgramOptions, signal?: AbortSignal): Promise<[Conversation, OpenReply]> {
  const { addon, folder, chosen, terms } = options;
  const { baseline, file } = chosen;
  const missing = missingFileReason(chosen);
  if (missing !== null) throw new BraggError('unsupported', missing);
  const gpu = baseline.device === 'cuda' ? (defaultGpu(addon.devices())?.uuid ?? null) : null;
  const conversation = new Conversation(baseline, { folder, gpu, signal });
  const common = { do: 'open', protocol: PROTOCOL_VERSION, style: baseline.style };
  try {
    return [conversation, await conversation.sendRequest({ ...common, file, ...terms.request }, openReplySchema)];
  } catch (error) {
    await conversation.close();
    throw error;
  }
}

/**
 * Starts the program in a new process and times it until its answer is in that process's memory. This includes loading
 * the interpreter and its packages.
 */
function programColdStart(options: ProgramOptions): ColdStart {
  return async (_label, _startChild, signal) => {
    const began = performance.now();
    const aborted = (): boolean => signal?.aborted === true;
    if (aborted()) return null;
    const sinceStart_s = (): number => (performance.now() - began) / 1000;
    try {
      const [conversation] = await openProgram(options, signal);
      try {
        if (options.terms.samples === 'run') {
          const { setup_s, wall_s } = await conversation.sendRequest({ do: 'run' }, runReplySchema);
          return { time_s: sinceStart_s(), setup_s, wall_s };
        }
        await conversation.sendRequest({ do: 'prepare' }, prepareReplySchema);
        await conversation.sendRequest({ do: 'sample', at_least_s: 0 }, sampleReplySchema);
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

/** Versions of the program's packages. Those of Python and NumPy are left out if there are others. */
function versionsText(versions: OpenReply['versions']): string {
  const all = Object.entries(versions);
  const own = all.filter(([name]) => name !== 'python' && name !== 'numpy');
  return (own.length === 0 ? all : own).map(([name, version]) => `${name} ${version}`).join(', ');
}

/** An external program as a candidate. Calls return null after the signal was aborted. */
export class ProgramCandidate implements BenchCandidate {
  readonly prepare?: () => Promise<boolean>;
  readonly #options: ProgramOptions;
  #conversation: Conversation | null = null;
  #opened: OpenReply | null = null;
  #answer: ProgramAnswer | null = null;
  #engineCheck: { readonly accuracy: readonly Accuracy[]; readonly compared: string } | null = null;
  readonly #hashes: string[] = [];
  #setup: Pick<TimedRun, 'setup_s' | 'parts'> | null = null;

  constructor(options: ProgramOptions) {
    this.#options = options;
    if (options.terms.samples === 'prepared') this.prepare = () => this.#prepareState();
  }

  first(): Promise<TimedRun | null> {
    return this.#unlessAborted(async () => {
      const began = performance.now();
      const taken = await this.#timeSample();
      // The end-to-end time of the first run includes the start of the program.
      return { ...taken, wall_s: taken.wall_s === null ? null : (performance.now() - began) / 1000 };
    });
  }

  takeSample(mode: Mode): Promise<TimedRun | null> {
    if (mode !== 'warm') {
      const why =
        mode === 'cold' || mode === 'cold-graph'
          ? 'cannot empty the caches'
          : 'launches its own kernels, which cannot be captured in a graph';
      return Promise.reject(new BraggError('unsupported', `a separate program ${why}`));
    }
    return this.#unlessAborted(() => this.#timeSample());
  }

  answer() {
    return this.#unlessAborted(async () => {
      const { terms } = this.#options;
      const scratch = await mkdtemp(join(tmpdir(), 'braggbench-external-'));
      try {
        const file = join(scratch, 'answer.npz');
        const { conversation, opened } = await this.#open();
        const response = await conversation.sendRequest(
          { do: 'answer', file, fresh: terms.samples !== 'run' },
          answerReplySchema,
        );
        const bytes = await readFile(file);
        const arrays = response.arrays.map((name) => readNpz(bytes, name).values);
        for (const [i, length] of (terms.lengths ?? []).entries()) {
          const got = arrays[i]?.length ?? 0;
          if (got !== length) {
            throw new BraggError(
              'unsupported',
              `its result has ${got} numbers in ${response.arrays[i]}, expected ${length}`,
            );
          }
        }
        const { precision } = opened;
        this.#answer = { reply: response, arrays, precision };
        this.#engineCheck = (await terms.checkWithEngine?.(arrays, precision)) ?? null;
        // A repetition starts with the state that the previous one left. Compute the answer a second time, to test
        // whether both are bitwise equal.
        if (terms.samples !== 'run') this.#hashes.push(response.hash, (await this.#repeatAnswer(file)).hash);
        if (terms.samples === 'prepared') await this.#prepareState();
        return { values: terms.values(arrays) };
      } finally {
        await rm(scratch, { recursive: true, force: true });
      }
    });
  }

  accuracy(oracle: AnswerValues | null): readonly Accuracy[] {
    return this.#engineCheck?.accuracy ?? this.#options.terms.accuracy(this.#requiredAnswer, oracle);
  }

  quantities(time_s: number): readonly Quantity[] {
    return this.#options.terms.quantities(this.#requiredAnswer.reply, time_s);
  }

  properties(): CandidateFacts {
    const { reply: told } = this.#requiredAnswer;
    const versions = versionsText(this.#opened?.versions ?? {});
    return {
      threads: this.#opened?.threads ?? null,
      isa: '',
      state_bytes: 0,
      size: this.#options.terms.size,
      work: { bytes: null, fp32_flops: null, fp64_flops: null, other_flops: null },
      repeats: this.#repeats,
      note: told.note ?? versions,
      compared: this.#engineCheck?.compared ?? null,
    };
  }

  async close(): Promise<void> {
    const conversation = this.#conversation;
    this.#conversation = null;
    await conversation?.close();
  }

  get #requiredAnswer(): ProgramAnswer {
    if (this.#answer === null) throw new Error(`${this.#options.chosen.baseline.id} was queried before it answered`);
    return this.#answer;
  }

  get #repeats(): RepeatComparison | null {
    const [hash] = this.#hashes;
    if (hash === undefined) return null;
    const bitwise = this.#hashes.every((one) => one === hash);
    return { runs: this.#hashes.length, bitwise, spread: bitwise ? 0 : null, hash };
  }

  async #open(): Promise<{ readonly conversation: Conversation; readonly opened: OpenReply }> {
    if (this.#conversation === null || this.#opened === null) {
      [this.#conversation, this.#opened] = await openProgram(this.#options, this.#options.signal);
    }
    return { conversation: this.#conversation, opened: this.#opened };
  }

  async #repeatAnswer(file: string): Promise<AnswerReply> {
    const { conversation } = await this.#open();
    return conversation.sendRequest({ do: 'answer', file, fresh: true }, answerReplySchema);
  }

  async #prepareState(): Promise<boolean> {
    const done = await this.#unlessAborted(async () => {
      const { conversation } = await this.#open();
      const { setup_s, parts } = await conversation.sendRequest({ do: 'prepare' }, prepareReplySchema);
      this.#setup = { setup_s, parts: new Map(Object.entries(parts)) };
      return true;
    });
    return done === true;
  }

  #clockState() {
    const { addon, chosen } = this.#options;
    const device = chosen.baseline.device === 'cuda' ? defaultGpu(addon.devices())?.uuid : undefined;
    return device === undefined ? null : addon.clockState({ device });
  }

  async #timeSample(): Promise<TimedRun> {
    const { samples, sample_s } = this.#options.terms;
    const { conversation } = await this.#open();
    if (samples === 'run') {
      const before = this.#clockState();
      const ran = await conversation.sendRequest({ do: 'run' }, runReplySchema);
      this.#hashes.push(ran.hash);
      const { setup_s, parts, device_s, host_s, wall_s } = ran;
      const clocks = { before, after: this.#clockState() };
      const common = { repetitions: 1, values: null, parts: new Map(Object.entries(parts)) };
      return { ...common, setup_s, device_s, host_s, wall_s, clocks, time_s: device_s ?? host_s };
    }
    if (samples === 'anew' || this.#setup === null) await this.#prepareState();
    const before = this.#clockState();
    const { repetitions, device_s, host_s } = await conversation.sendRequest(
      { do: 'sample', at_least_s: sample_s },
      sampleReplySchema,
    );
    const clocks = { before, after: this.#clockState() };
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

export interface ExternalRequest {
  readonly assetsFolder: string;
  /** Requested programs: ids, or id=FILE for user-installed programs. */
  readonly ids: readonly string[];
  /** The scenario, with all defaults filled in. */
  readonly scenario: unknown;
}

interface ProgramsOptions extends ProgramScope {
  readonly addon: NativeAddon;
  readonly external: ExternalRequest | null | undefined;
  readonly terms: (chosen: ChosenBaseline) => ProgramSettings;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Entries for the requested programs. Throws BraggError 'invalid' if a program is not registered for these scenarios.
 */
export async function programEntries({
  addon,
  external,
  terms,
  signal,
  ...solved
}: ProgramsOptions): Promise<BenchEntry[]> {
  if (external == null || external.ids.length === 0) return [];
  const registry = await readRegistry(external.assetsFolder);
  return parseBaselines(registry, solved, external.ids).map((chosen) => {
    const own = terms(chosen);
    const request = { workload: solved.workload, bench: solved.bench, scenario: external.scenario, ...own.request };
    const options = { addon, folder: registry.folder, chosen, terms: { ...own, request }, signal };
    return {
      head: programIdentity(options),
      createCandidate: (end) => new ProgramCandidate(end === undefined ? options : { ...options, signal: end }),
      cold: programColdStart(options),
      startsSlowly: true,
    };
  });
}
