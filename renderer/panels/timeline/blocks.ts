/** Open timelines, one block each, and their offsets on the common axis. */
import type { TraceId, TraceInfo } from '../../../electron/contract/timeline.ts';
import type { SceneArrow } from '../../drawing/timeline/scene.ts';
import type { TimeWindow } from '../../drawing/timeline/time-window.ts';
import type { TimelineContext } from './context.ts';
import { type StepTable, timeOfStep } from './steps.ts';
import { slowSteps } from './told/slow-steps.ts';
import { WindowFeed } from './window-feed.ts';

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

  /** `changed`: there is more to show. */
  constructor(context: TimelineContext, changed: () => void) {
    this.#context = context;
    this.#changed = changed;
  }

  get all(): readonly Block[] {
    return this.#all;
  }

  /** Nothing is on its way from the host. */
  get settled(): boolean {
    return this.#all.every(({ feed }) => feed.settled);
  }

  close(): void {
    for (const { feed } of this.#all) feed.close();
  }

  of(trace: TraceId): Block | null {
    return this.#all.find(({ info }) => info.id === trace) ?? null;
  }

  /** Keeps the blocks that stay, opens and closes the others. True where one came. */
  takeUp(open: readonly TraceInfo[]): boolean {
    const known = new Map(this.#all.map((block) => [block.info.id, block]));
    this.#all = open.map((info) => known.get(info.id) ?? this.#open(info));
    for (const [id, block] of known) if (!open.some((info) => info.id === id)) block.feed.close();
    const { summaries } = this.#context.state.getState();
    this.#context.state.setState({
      summaries: Object.fromEntries(Object.entries(summaries).filter(([trace]) => this.of(trace) !== null)),
    });
    this.#listSteps();
    return open.some(({ id }) => !known.has(id));
  }

  /** Time in the trace that is at zero of the common axis. */
  origin(trace: TraceId): number {
    const { alignment } = this.#context.state.getState();
    const block = this.of(trace);
    if (alignment.by === 'start' || block === null) return 0;
    if (alignment.by === 'kernel') return block.info.firstKernel_ns ?? 0;
    const { steps } = block;
    if (steps === null) return 0;
    return timeOfStep(steps, alignment.step) ?? 0;
  }

  /** Several timelines, each with a kernel. */
  get haveKernels(): boolean {
    return this.#all.length > 1 && this.#all.every(({ info }) => info.firstKernel_ns !== null);
  }

  onAxis(trace: TraceId, ns: number): number {
    return ns - this.origin(trace);
  }

  /** From the first span of any to the last. */
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
    // A timeline that another window closed goes from the list by itself.
    const feed = new WindowFeed(this.#context.workbench.client, info.id, this.#changed, () => undefined);
    const block: Block = { info, feed, steps: null, arrows: [] };
    void this.#learn(block);
    return block;
  }

  async #learn(block: Block): Promise<void> {
    const { workbench, state } = this.#context;
    const trace = block.info.id;
    const [steps, summary] = await Promise.all([
      workbench.client.call('timeline.steps', { trace }),
      workbench.client.call('timeline.summary', { trace }),
    ]).catch(() => [NO_STEPS, null] as const);
    block.steps = steps;
    if (this.#context.closed || this.of(trace) === null) return;
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
