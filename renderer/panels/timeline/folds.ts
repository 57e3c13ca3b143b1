/** Which lanes show one of their rows, some, or all. */
import type { TraceId } from '../../../electron/contract/timeline.ts';
import { FOLDED_TRACKS, laneKey, rowsOf, type TimelineMetrics } from '../../drawing/timeline/rows.ts';
import type { Block } from './blocks.ts';

export class LaneFolds {
  readonly #unfolded = new Set<string>();
  readonly #folded = new Set<string>();

  rows(blocks: readonly Block[], metrics: TimelineMetrics): ReturnType<typeof rowsOf> {
    const lanes = blocks.map(({ info }) => ({ trace: info.id, lanes: info.lanes }));
    return rowsOf(lanes, metrics, this.#unfolded, this.#folded);
  }

  /** Goes on to the next of: some, all, one. False for a lane that has one row only. */
  toggle(trace: TraceId, lane: number, tracks: number): boolean {
    const key = laneKey(trace, lane);
    if (tracks < 2) return false;
    if (this.#folded.delete(key)) this.#unfolded.add(key);
    else if (this.#unfolded.delete(key) || tracks <= FOLDED_TRACKS) this.#folded.add(key);
    else this.#unfolded.add(key);
    return true;
  }
}
