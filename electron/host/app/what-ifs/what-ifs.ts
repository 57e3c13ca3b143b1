/**
 * Live sessions, which recompute a run while the user edits its scenario.
 *
 * Each page has one session. It solves one request at a time, always the newest, and replaces the result of its run.
 */
import { randomBytes } from 'node:crypto';
import { BraggError } from '../../../contract/errors.ts';
import type { FileRef } from '../../../contract/files.ts';
import type { MapRequest } from '../../../contract/run.ts';
import { kindOfDocument, valueAt } from '../../../contract/scenario/index.ts';
import type { WhatIfAnswer, WhatIfFrame } from '../../../contract/scenario/transport/what-if.ts';
import type { ScenarioDraft } from '../../../contract/scenario/workload.ts';
import { errorFromNative, type NativeAddon } from '../../io/addon/addon.ts';
import type { LaneQueue } from '../../io/flow/lanes.ts';
import { LatestQueue } from '../../io/flow/queues.ts';
import type { FrameSink } from '../../io/flow/subscribers.ts';
import { appendValuesToName } from '../../model/scenarios/overrides.ts';
import type { RunContext } from '../../workloads/run-context.ts';
import type { ScenarioOrigin, Scenarios } from '../../workloads/scenarios/scenarios.ts';
import { storedPairs } from '../../workloads/transport/display/maps.ts';
import { depthDoseOfRun, ledgerOfRun, momentsOfRun, summaryOfRun } from '../../workloads/transport/readouts.ts';
import type { RunData } from '../../workloads/transport/run-data.ts';
import { FactorSelector, type PreparedWhatIf, prepareWhatIf } from '../../workloads/transport/what-if/prepare.ts';
import { changesOf, type LiveRun, type Runs } from '../runs/runs.ts';
import { mapsOf } from '../runs/transport-maps.ts';

interface WhatIfRequest {
  readonly sequence: number;
  readonly scenario: ScenarioDraft;
  readonly file: FileRef | null;
  readonly name: string;
  /** Document in the scenario's file if the form differs from it, otherwise null. */
  readonly saved: ScenarioDraft | null;
  readonly full: boolean;
  readonly maps: readonly MapRequest[];
}

interface WhatIfParts {
  readonly addon: NativeAddon;
  readonly scenarios: Scenarios;
  readonly memoryLimit_bytes: number;
  readonly runs: Runs;
  /** Shared with runs and benchmarks, so that nothing is computed during a measurement. */
  readonly lanes: LaneQueue;
  readonly program: RunContext['program'];
  readonly machine: Omit<RunContext['machine'], 'device'>;
  readonly gpu: () => string | null;
  /** Returns the folder that relative paths of a draft refer to. */
  readonly originOf: (file: FileRef | null) => Promise<ScenarioOrigin>;
  /** Compiles the user kernel that a scenario names. Throws if the user does not trust it. */
  readonly prepareVariant: (scenario: { readonly kind: string }, variant: string) => Promise<void>;
}

/** Maximum number of ledger rows in an answer, as many as a screen can show. */
const LEDGER_ROWS = 1000;

/** Whether the error does not depend on the scenario, so that further requests would fail too. */
const isFatal = ({ code }: BraggError): boolean => code === 'device' || code === 'internal';

class WhatIf {
  readonly #parts: WhatIfParts;
  readonly #sink: FrameSink<WhatIfFrame>;
  readonly #run: LiveRun;
  readonly #pace = new FactorSelector();
  readonly #questions: LatestQueue<WhatIfRequest>;
  /** Resolves when the page has received the last answer. Until then no further answer is computed. */
  #received: Promise<void> = Promise.resolve();
  #ended = false;

  constructor(parts: WhatIfParts, sink: FrameSink<WhatIfFrame>) {
    this.#parts = parts;
    this.#sink = sink;
    this.#run = parts.runs.live();
    this.#questions = new LatestQueue({
      work: (requested, signal) => this.#handleRequest(requested, signal),
      givesWay: ({ full }) => full,
    });
  }

  request(asked: WhatIfRequest): void {
    this.#questions.put(asked);
  }

  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#questions.stop();
    this.#run.end();
  }

  async #handleRequest(asked: WhatIfRequest, signal: AbortSignal): Promise<void> {
    await untilAborted(this.#received, signal);
    if (signal.aborted) return;
    const begun_ms = performance.now();
    try {
      const prepared = await this.#prepare(asked);
      if (signal.aborted) return;
      await this.#runInLane(asked, prepared, signal, () => this.#solve(asked, prepared, begun_ms, signal));
    } catch (error) {
      this.#refuse(asked, errorFromNative(error));
    }
  }

  #refuse({ sequence }: WhatIfRequest, error: BraggError): void {
    if (this.#ended) return;
    if (isFatal(error)) {
      this.#sink.end(error);
      void this.end();
      return;
    }
    const { issues, ...wire } = error.toWire();
    this.#sink.offer(() => ({ state: 'refused', sequence, error: { ...wire, issues: [] }, issues: [...issues] }));
  }

  async #prepare({ scenario, file, full, maps }: WhatIfRequest): Promise<PreparedWhatIf> {
    const { addon, scenarios, memoryLimit_bytes, originOf, prepareVariant } = this.#parts;
    const place = await originOf(file);
    const variant = valueAt(scenario, ['solver', 'variant']);
    if (full && typeof variant === 'string') await prepareVariant({ kind: kindOfDocument(scenario) }, variant);
    const sameDose = maps.some(({ against }) => against !== undefined);
    const question = { document: scenario, place, full, sameDose };
    return prepareWhatIf({ addon, scenarios, memoryLimit_bytes }, question, this.#pace);
  }

  /** Runs `work` when the device is free, unless a newer request has replaced this one. */
  #runInLane(
    { sequence }: WhatIfRequest,
    { running }: PreparedWhatIf,
    signal: AbortSignal,
    work: () => Promise<void>,
  ): Promise<void> {
    const { lanes } = this.#parts;
    const id = `live-${randomBytes(9).toString('base64url')}`;
    const reportWaiting = (): void => this.#sink.offer(() => ({ state: 'waiting', sequence }));
    return lanes.enqueue(
      { id, lane: running.lane, signal, waits: reportWaiting, interrupt: () => running.cancel() },
      work,
    );
  }

  async #solve(asked: WhatIfRequest, prepared: PreparedWhatIf, begun_ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { running, kind, cells } = prepared;
    const name = await runNameOf(asked, prepared);
    const created = new Date().toISOString();
    const start_ms = performance.now();
    const data = await running.start({
      reportProgress: () => undefined,
      context: () => this.#runContextOf(asked, prepared, { name, created, start_ms }),
      saveCheckpoint: null,
      warn: () => undefined,
    });
    if (signal.aborted || data.status === 'cancelled') return;
    if (data.error !== null) throw new BraggError(data.error.code, data.error.message);
    const solve_ms = performance.now() - start_ms;
    if (asked.full) this.#pace.reset();
    else if (kind !== null) this.#pace.recordTimes(kind, cells, data.setup_s, data.solve_s);
    this.#run.setResult(running, data);
    const answer = await this.#buildAnswer(asked, prepared, data);
    if (signal.aborted) return;
    this.#sendAnswer({ ...answer, solve_ms, total_ms: performance.now() - begun_ms });
  }

  #sendAnswer(answer: WhatIfAnswer): void {
    let markReceived = (): void => undefined;
    this.#received = new Promise((resolve) => {
      markReceived = resolve;
    });
    this.#sink.offer(() => {
      markReceived();
      return answer;
    });
  }

  async #buildAnswer(
    { sequence, full, maps }: WhatIfRequest,
    { way, resolved }: PreparedWhatIf,
    data: RunData,
  ): Promise<Omit<WhatIfAnswer, 'solve_ms' | 'total_ms'>> {
    const { runs } = this.#parts;
    const { id: run } = this.#run;
    const made = maps.map(async (request): Promise<WhatIfAnswer['maps'][number]> => {
      try {
        const { maps: shown } = await mapsOf(runs, run, data, data.keyframes.length - 1, [request], true);
        const [field] = shown;
        return field === undefined ? { reason: 'This map does not exist.' } : { field };
      } catch (error) {
        return { reason: errorFromNative(error).message };
      }
    });
    const [depthDose, summary, moments, ledger, ...shown] = await Promise.all([
      depthDoseOfRun(data),
      summaryOfRun(data),
      momentsOfRun(data),
      ledgerOfRun(data, LEDGER_ROWS),
      ...made,
    ]);
    return {
      ...{ state: 'answer', sequence, run, full, way, resolved, depthDose, summary, moments, ledger, maps: shown },
      keyframes: data.keyframes.map(({ step, depth_mm }) => ({ step, depth_mm })),
      pairs: storedPairs(data.keyframes[0]),
    };
  }

  #runContextOf(
    { scenario }: WhatIfRequest,
    { running, solved }: PreparedWhatIf,
    { name, created, start_ms }: { readonly name: string; readonly created: string; readonly start_ms: number },
  ): RunContext {
    const { program, machine, gpu } = this.#parts;
    return {
      program,
      machine: { ...machine, device: running.device === 'cpu' ? null : (gpu() ?? running.device) },
      name,
      created,
      finished: new Date().toISOString(),
      scenario: { ...scenario },
      completeScenario: { ...solved.scenario },
      wall_s: (performance.now() - start_ms) / 1000,
    };
  }
}

/**
 * Names the run like other runs. During a drag the name is constant, because every change of it is sent to all lists of
 * runs.
 */
async function runNameOf({ scenario, saved, name, full }: WhatIfRequest, { reading }: PreparedWhatIf): Promise<string> {
  const own = reading.scenario?.name || name || 'untitled';
  if (saved === null) return own;
  return full ? appendValuesToName(own, await changesOf(saved, scenario)) : `${own} (edited)`;
}

function untilAborted(done: Promise<void>, signal: AbortSignal): Promise<void> {
  return Promise.race([
    done,
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
  ]);
}

export class WhatIfs {
  readonly #parts: WhatIfParts;
  readonly #open = new Map<string, WhatIf>();

  constructor(parts: WhatIfParts) {
    this.#parts = parts;
  }

  /** Opens a Live session. Returns a function that ends it. Throws BraggError `exists` if the name is in use. */
  open(name: string, sink: FrameSink<WhatIfFrame>): () => void {
    if (this.#open.has(name)) throw new BraggError('exists', 'Live is already on for this page.');
    const live = new WhatIf(this.#parts, sink);
    this.#open.set(name, live);
    return () => {
      if (this.#open.get(name) === live) this.#open.delete(name);
      void live.end();
    };
  }

  /** Queues a request for a session. Throws BraggError `not-found` if the session does not exist. */
  request(name: string, asked: WhatIfRequest): void {
    const live = this.#open.get(name);
    if (live === undefined) throw new BraggError('not-found', 'Live has ended for this page.');
    live.request(asked);
  }

  async close(): Promise<void> {
    const open = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(open.map((live) => live.end()));
  }
}
