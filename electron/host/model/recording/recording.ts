/** Timing recorded by the engines of every workload. Runs and sessions store it; timelines are built from it. */
import type { DeviceTrace, Spans } from '../../io/addon/addon.ts';

export interface Recording {
  readonly spans: Spans;
  /** GPU activity and driver calls; null if not traced. */
  readonly trace: DeviceTrace | null;
}

/** A run whose threads were not recorded. */
export const noSpans: Spans = {
  names: [],
  threads: 0,
  name: new Uint16Array(0),
  thread: new Uint16Array(0),
  step: new Uint32Array(0),
  start_ns: new Float64Array(0),
  end_ns: new Float64Array(0),
  dropped: 0,
};
