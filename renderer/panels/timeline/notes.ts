/** Notes on the open timelines: read when a timeline opens, saved by the host after every change. */
import type { TimelineNote } from '../../../electron/contract/projects/timeline-notes.ts';
import type { TraceId } from '../../../electron/contract/timeline.ts';
import type { TimelineContext } from './blocks.ts';

export class TimelineNotes {
  readonly #context: TimelineContext;
  readonly #changed: () => void;

  /** `changed` is called when the marks change. */
  constructor(context: TimelineContext, changed: () => void) {
    this.#context = context;
    this.#changed = changed;
  }

  /** Reads notes of newly opened timelines. Notes of closed ones are dropped here but remain in the library. */
  async follow(open: readonly TraceId[]): Promise<void> {
    const { state, workbench } = this.#context;
    const known = state.getState().notes;
    const kept = Object.fromEntries(Object.entries(known).filter(([trace]) => open.includes(trace)));
    state.setState({ notes: kept });
    for (const trace of open) {
      if (known[trace] !== undefined) continue;
      const found = await workbench.client
        .call('timeline.notes', { trace })
        .catch((error: unknown) => this.#context.fail('The notes on the timeline could not be read', error));
      if (found === null || this.#context.isClosed) continue;
      state.setState(({ notes }) => ({ notes: { ...notes, [trace]: notes[trace] ?? found.notes } }));
    }
    this.#changed();
  }

  async add(trace: TraceId, note: Omit<TimelineNote, 'created'>): Promise<void> {
    const before = this.#context.state.getState().notes[trace] ?? [];
    const made = { ...note, created: new Date().toISOString() };
    await this.#save(
      trace,
      [...before, made].toSorted((a, b) => a.from_ns - b.from_ns),
    );
  }

  async remove(trace: TraceId, note: TimelineNote): Promise<void> {
    const before = this.#context.state.getState().notes[trace] ?? [];
    await this.#save(
      trace,
      before.filter((one) => one !== note),
    );
  }

  async #save(trace: TraceId, notes: readonly TimelineNote[]): Promise<void> {
    const { state, workbench } = this.#context;
    const kept = await workbench.client
      .call('timeline.keepNotes', { trace, notes })
      .catch((error: unknown) => this.#context.fail('The note could not be saved', error));
    if (kept === null || this.#context.isClosed) return;
    state.setState((now) => ({ notes: { ...now.notes, [trace]: notes } }));
    this.#changed();
  }
}
