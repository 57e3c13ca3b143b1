/**
 * Open timelines as blocks with their offsets on the common axis, and state that the parts of the panel's controller
 * share.
 */
import type { StoreApi } from 'zustand/vanilla';
import type { TraceId, TraceInfo } from '../../../electron/contract/timeline.ts';
import type { SceneArrow, TimeWindow } from '../../drawing/timeline/scene.ts';
import type { Workbench } from '../../workbench/workbench.ts';
import { type StepTable, slowSteps, timeOfStep } from './steps.ts';
import type { TimelineSettings, TimelineStateStore } from './store.ts';
import { WindowFeed } from './window-feed.ts';

export class TimelineContext {
  readonly workbench: Workbench;
  readonly settings: StoreApi<TimelineSettings>;
  readonly state: TimelineStateStore;
  #closed = false;

  constructor(workbench: Workbench, settings: StoreApi<TimelineSettings>, state: TimelineStateStore) {
    this.workbench = workbench;
    this.settings = settings;
    this.state = state;
  }

  /** True after the panel has closed: later responses are ignored. */
  get isClosed(): boolean {
    return this.#closed;
  }

  close(): void {
    this.#closed = true;
  }

  /** Reports a failure to the user; returns null in place of the result. */
  fail(what: string, error: unknown): null {
    if (!this.#closed) this.workbench.stores.notices.fail(what, error);
    return null;
  }
}

export interface Block {
  readonly info: TraceInfo;
  readonly feed: WindowFeed;
  /** Null if the host has not sent them yet. */
  steps: StepTable | null;
  arrows: readonly SceneArrow[];
}

const NO_STEPS: StepTable = { step: new Uint32Array(), start_ns: new Float64Array(), end_ns: new Float64Array() };

export class TimelineBlocks {
  readonly #context: TimelineContext;
  readonly #changed: () => void;
  #all: readonly Block[] = [];

  /** `changed` is called when new data are available. */
  constructor(context: TimelineContext, changed: () => void) {
    this.#context = context;
    this.#changed = changed;
  }

  get all(): readonly Block[] {
    return this.#all;
  }

  /** True if no request to the host is pending. */
  get isSettled(): boolean {
    return this.#all.every(({ feed }) => feed.isSettled);
  }

  close(): void {
    for (const { feed } of this.#all) feed.close();
  }

  blockOf(trace: TraceId): Block | null {
    return this.#all.find(({ info }) => info.id === trace) ?? null;
  }

  /** Keeps the blocks of open timelines, adds new ones and closes the others. Returns true if one was added. */
  syncBlocks(open: readonly TraceInfo[]): boolean {
    const known = new Map(this.#all.map((block) => [block.info.id, block]));
    this.#all = open.map((info) => known.get(info.id) ?? this.#open(info));
    for (const [id, block] of known) if (!open.some((info) => info.id === id)) block.feed.close();
    const { summaries } = this.#context.state.getState();
    this.#context.state.setState({
      summaries: Object.fromEntries(Object.entries(summaries).filter(([trace]) => this.blockOf(trace) !== null)),
    });
    this.#listSteps();
    return open.some(({ id }) => !known.has(id));
  }

  /** Time in the trace at zero of the common axis. */
  origin(trace: TraceId): number {
    const { alignment } = this.#context.state.getState();
    const block = this.blockOf(trace);
    if (alignment.by === 'start' || block === null) return 0;
    if (alignment.by === 'kernel') return block.info.firstKernel_ns ?? 0;
    const { steps } = block;
    if (steps === null) return 0;
    return timeOfStep(steps, alignment.step) ?? 0;
  }

  /** True if there are several timelines and each has a kernel. */
  get haveKernels(): boolean {
    return this.#all.length > 1 && this.#all.every(({ info }) => info.firstKernel_ns !== null);
  }

  toAxisTime(trace: TraceId, ns: number): number {
    return ns - this.origin(trace);
  }

  /** Time from the first span of any timeline to the last. */
  whole(): TimeWindow {
    let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const { info } of this.#all) {
      const origin = this.origin(info.id);
      from = Math.min(from, 0 - origin);
      to = Math.max(to, info.duration_ns - origin);
    }
    return to > from ? { from, to } : { from: 0, to: 1000 };
  }

  #open(info: TraceInfo): Block {
    // A timeline that another window closes is removed from the list without a message.
    const feed = new WindowFeed(this.#context.workbench.client, info.id, this.#changed, () => undefined);
    const block: Block = { info, feed, steps: null, arrows: [] };
    void this.#loadSteps(block);
    return block;
  }

  async #loadSteps(block: Block): Promise<void> {
    const { workbench, state } = this.#context;
    const trace = block.info.id;
    const [steps, summary] = await Promise.all([
      workbench.client.call('timeline.steps', { trace }),
      workbench.client.call('timeline.summary', { trace }),
    ]).catch(() => [NO_STEPS, null] as const);
    block.steps = steps;
    if (this.#context.isClosed || this.blockOf(trace) === null) return;
    const slow = slowSteps(steps);
    state.setState((now) => ({ slow: { ...now.slow, [trace]: slow } }));
    if (summary !== null) state.setState(({ summaries }) => ({ summaries: { ...summaries, [trace]: summary } }));
    this.#listSteps();
    this.#changed();
  }

  #listSteps(): void {
    const all = new Set<number>();
    for (const { steps } of this.#all) for (const step of steps?.step ?? []) all.add(step);
    this.#context.state.setState({ steps: [...all].sort((a, b) => a - b) });
  }
}
