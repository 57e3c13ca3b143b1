/** Data that the engine records of a run in addition to its result, for any workload. */
import type { ClockState } from '../../../contract/devices.ts';

/** The device's clocks before set-up and after the work. */
export interface Clocks {
  readonly before: ClockState | null;
  readonly after: ClockState | null;
}

/** Device work and driver calls, column by column, in order of start. */
export interface DeviceTrace {
  readonly source: string;
  readonly names: readonly string[];
  readonly dropped: number;
  /** 0 kernel, 1 copy, 2 memset, 3 graph, 4 driver call. */
  readonly kind: Uint16Array;
  /** Index into names. */
  readonly name: Uint32Array;
  /** Nanoseconds since the run began, on the spans' clock. */
  readonly start_ns: Float64Array;
  readonly end_ns: Float64Array;
  /** Thread of a driver call. */
  readonly stream: Uint32Array;
  /** The same for a launch and the driver call that made it. */
  readonly correlation: Uint32Array;
  /** x, y, z of each. */
  readonly grid: Uint32Array;
  readonly block: Uint32Array;
  readonly registers: Uint32Array;
  readonly static_shared_bytes: Uint32Array;
  readonly dynamic_shared_bytes: Uint32Array;
  readonly bytes: Float64Array;
  readonly graph: Uint32Array;
  readonly graph_node: Float64Array;
}

export interface Spans {
  readonly names: readonly string[];
  /** In a run on the GPU, thread 0 is the host and thread 1 the device. */
  readonly threads: number;
  readonly name: Uint16Array;
  readonly thread: Uint16Array;
  readonly step: Uint32Array;
  /** Nanoseconds since the run began. */
  readonly start_ns: Float64Array;
  readonly end_ns: Float64Array;
  /** Spans dropped because the recorder was full. */
  readonly dropped: number;
}
