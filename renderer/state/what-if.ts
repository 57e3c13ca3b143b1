/** Live what-if of this page: whether it is on, and what its last answer was. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { RunId } from '../../electron/contract/run.ts';
import type { WhatIfAnswer } from '../../electron/contract/scenario/transport/what-if.ts';

type ShownAnswer = Pick<WhatIfAnswer, 'sequence' | 'full' | 'way' | 'solve_ms' | 'total_ms'>;

interface WhatIfState {
  readonly on: boolean;
  /** The run that holds the last answer; null before the first. */
  readonly run: RunId | null;
  readonly answer: ShownAnswer | null;
  /** Status of the newest request. */
  readonly phase: 'solving' | 'waiting' | 'refused' | 'answered';
  /** The drag is at rest, and the full answer was requested. */
  readonly resting: boolean;
  /** Why the newest question was refused, in one line. */
  readonly refusal: string | null;
  /** From an edit until its answer is drawn; the last one's. */
  readonly latency_ms: number | null;
  /** Answers drawn in the last second of a drag; null while the hand rests. */
  readonly perSecond: number | null;
}

export type WhatIfStore = StoreApi<WhatIfState>;

export const whatIfOff: WhatIfState = {
  on: false,
  run: null,
  answer: null,
  phase: 'solving',
  resting: false,
  refusal: null,
  latency_ms: null,
  perSecond: null,
};

export function createWhatIfStore(): WhatIfStore {
  return createStore<WhatIfState>(() => whatIfOff);
}
