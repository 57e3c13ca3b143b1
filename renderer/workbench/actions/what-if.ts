/**
 * Live mode: requests an answer as the scenario is edited, at most once per frame, and the full answer at rest. An
 * older answer never replaces a newer one.
 */
import { BraggError } from '../../../electron/contract/errors.ts';
import type { RunId } from '../../../electron/contract/run.ts';
import {
  supportsLive,
  type WhatIfAnswer,
  type WhatIfFrame,
} from '../../../electron/contract/scenario/transport/what-if.ts';
import type { ScenarioDraft } from '../../../electron/contract/scenario/workload.ts';
import type { StreamHandle } from '../../data/client/client.ts';
import type { RequestedMaps, RunFeed } from '../../data/run-feed.ts';
import type { FrameScheduler } from '../../drawing/scheduler.ts';
import { runOf, whatIfOff } from '../../state/runs.ts';
import { documentTitle, isEdited } from '../../state/scenario.ts';
import type { ActionContext } from './context.ts';

export interface WhatIfActions {
  toggle(): void;
}

/** Time in ms after the last edit at which dragging counts as finished. */
const REST_MS = 250;
/** Time window in ms for counting answers per second. */
const RATE_MS = 1000;
/** Maximum unacknowledged frames: one is drawn while the next one is solved. */
const CREDITS = 1;

interface Question {
  readonly draft: ScenarioDraft;
  readonly maps: RequestedMaps;
  readonly edited_ms: number;
}

interface WhatIfParts extends ActionContext {
  readonly feed: RunFeed;
  readonly scheduler: FrameScheduler;
}

class LiveSession {
  readonly #parts: WhatIfParts;
  readonly #session = crypto.randomUUID();
  readonly #before: RunId | null;
  readonly #questions = new Map<number, Question>();
  readonly #stops: readonly (() => void)[];
  readonly #stream: StreamHandle;
  #sequence = 0;
  #shownSequence = 0;
  #full = false;
  #edited_ms = performance.now();
  #rest: ReturnType<typeof setTimeout> | null = null;
  #drawn: readonly number[] = [];
  /** An answer that arrived before its run was listed. */
  #earlyAnswer: WhatIfAnswer | null = null;
  #ended = false;

  constructor(parts: WhatIfParts) {
    this.#parts = parts;
    const { client, stores, scheduler } = parts;
    this.#before = stores.selection.getState().run;
    stores.whatIf.setState({ ...whatIfOff, on: true });
    this.#stream = client.stream(
      'whatIf',
      { session: this.#session },
      {
        frame: (frame) => {
          this.#handleFrame(frame);
          return scheduler.painted();
        },
        end: (error) => {
          const reason = error ?? new BraggError('disconnected', 'The solver process has ended.');
          stores.notices.fail('Live was switched off', reason);
          this.end();
        },
      },
      { credits: CREDITS },
    );
    this.#stops = [
      stores.scenario.subscribe((state, before) => {
        if (state.draft === before.draft) return;
        if (!supportsLive(state.draft)) return this.end();
        this.#edited_ms = performance.now();
        this.#scheduleRequest();
      }),
      stores.runs.subscribe(() => {
        if (this.#earlyAnswer !== null) this.#showAnswer(this.#earlyAnswer);
      }),
      // Leave Live mode if the user chose another run or pressed Run.
      stores.selection.subscribe(({ run }, { run: shown }) => {
        const { run: own } = stores.whatIf.getState();
        if (run !== shown && run !== own) this.end(false);
      }),
    ];
    this.#scheduleRequest();
  }

  /** Ends Live mode. `back`: whether to show the run again that was shown before. */
  end(back = true): void {
    if (this.#ended) return;
    this.#ended = true;
    const { stores, scheduler } = this.#parts;
    const { run } = stores.whatIf.getState();
    for (const stop of this.#stops) stop();
    if (this.#rest !== null) clearTimeout(this.#rest);
    scheduler.cancel(this.#sendRequest);
    this.#stream.close();
    stores.whatIf.setState(whatIfOff);
    if (back && run !== null && stores.selection.getState().run === run) {
      stores.selection.setState({ run: this.#before });
    }
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  #scheduleRequest(): void {
    const { stores, scheduler } = this.#parts;
    this.#full = false;
    if (stores.whatIf.getState().resting) stores.whatIf.setState({ resting: false });
    if (this.#rest !== null) clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      this.#full = true;
      this.#drawn = [];
      stores.whatIf.setState({ resting: true, perSecond: null });
      scheduler.request(this.#sendRequest);
    }, REST_MS);
    scheduler.request(this.#sendRequest);
  }

  readonly #sendRequest = (): void => {
    const { client, stores, feed } = this.#parts;
    const state = stores.scenario.getState();
    const { draft, file } = state;
    const maps = feed.requestedMaps();
    this.#sequence += 1;
    this.#questions.set(this.#sequence, { draft, maps, edited_ms: this.#edited_ms });
    const question = {
      session: this.#session,
      sequence: this.#sequence,
      scenario: draft,
      file: file?.file ?? null,
      name: documentTitle(state),
      saved: isEdited(state) ? state.saved : null,
      full: this.#full,
      maps: maps.map(([, request]) => request),
    };
    // Keep the other phases until this request has a status.
    if (stores.whatIf.getState().phase === 'answered') stores.whatIf.setState({ phase: 'solving' });
    // Errors arrive on the stream, which they end.
    client.call('whatIf.ask', question).catch(() => undefined);
  };

  #handleFrame(frame: WhatIfFrame): void {
    // Ignore answers older than the drawn one, and other statuses of superseded requests.
    if (this.#ended || frame.sequence < this.#shownSequence) return;
    const { whatIf } = this.#parts.stores;
    if (frame.state === 'answer') this.#showAnswer(frame);
    else if (frame.sequence !== this.#sequence) return;
    else if (frame.state === 'waiting') whatIf.setState({ phase: 'waiting' });
    else whatIf.setState({ phase: 'refused', refusal: frame.error.message });
  }

  #showAnswer(answer: WhatIfAnswer): void {
    const { stores, feed } = this.#parts;
    const { sequence, run, full, way, solve_ms, total_ms } = answer;
    const question = this.#questions.get(sequence);
    if (question === undefined) return;
    if (runOf(stores.runs.getState(), run) === null) {
      this.#earlyAnswer = answer;
      return;
    }
    this.#earlyAnswer = null;
    this.#shownSequence = sequence;
    for (const known of [...this.#questions.keys()]) if (known < sequence) this.#questions.delete(known);
    const phase = sequence === this.#sequence ? 'answered' : 'solving';
    stores.whatIf.setState({ run, answer: { sequence, full, way, solve_ms, total_ms }, phase, refusal: null });
    if (stores.selection.getState().run !== run) stores.selection.setState({ run });
    feed.showAnswer(answer, question);
    void this.#parts.scheduler.painted().then(() => this.#countAnswer(question, full));
  }

  /** Counts an answer after it was drawn. */
  #countAnswer({ edited_ms }: Question, full: boolean): void {
    if (this.#ended) return;
    const now = performance.now();
    // The latency is shown next to the times of this answer. The rate counts only answers during a drag.
    this.#parts.stores.whatIf.setState({ latency_ms: now - edited_ms });
    if (full) return;
    this.#drawn = [...this.#drawn.filter((at) => now - at < RATE_MS), now];
    const first = this.#drawn[0] ?? now;
    const perSecond = this.#drawn.length > 2 ? ((this.#drawn.length - 1) * 1000) / (now - first) : null;
    this.#parts.stores.whatIf.setState({ perSecond });
  }
}

export function createWhatIfActions(parts: WhatIfParts): WhatIfActions {
  let page: LiveSession | null = null;
  return {
    toggle: () => {
      if (page !== null && !page.hasEnded) {
        page.end();
        page = null;
      } else if (supportsLive(parts.stores.scenario.getState().draft)) {
        page = new LiveSession(parts);
      }
    },
  };
}
