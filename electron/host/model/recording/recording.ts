/**
 * Times recorded by the engine of any workload. Runs and sessions store recordings, in JSON as lists of numbers, and
 * timelines are built from them.
 */
import { type SavedRecording, spanColumns, traceColumns } from '../../../contract/recording.ts';
import type { DeviceTrace, Spans } from '../../io/addon/addon.ts';

export interface Recording {
  readonly spans: Spans;
  /** GPU activity and driver calls; null if the run was not traced. */
  readonly trace: DeviceTrace | null;
}

/** Empty spans, for a run whose threads were not recorded. */
export const NO_SPANS: Spans = {
  names: [],
  threads: 0,
  name: new Uint16Array(0),
  thread: new Uint16Array(0),
  step: new Uint32Array(0),
  start_ns: new Float64Array(0),
  end_ns: new Float64Array(0),
  dropped: 0,
};

const arrays = {
  uint16: (values: readonly number[]) => Uint16Array.from(values),
  uint32: (values: readonly number[]) => Uint32Array.from(values),
  float64: (values: readonly number[]) => Float64Array.from(values),
} as const;

type StoredColumn = { readonly name: string; readonly stored: keyof typeof arrays };

/**
 * Converts columns to lists. Times are shifted by `later_ns` and rounded to whole nanoseconds, because the clock has no
 * finer resolution.
 */
function columnsToLists(from: object, columns: readonly StoredColumn[], later_ns: number): Record<string, number[]> {
  const source = from as Readonly<Record<string, ArrayLike<number>>>;
  return Object.fromEntries(
    columns.map(({ name }) => {
      const values = Array.from(source[name] ?? []);
      return [name, name.endsWith('_ns') ? values.map((at) => Math.round(at + later_ns)) : values];
    }),
  );
}

function columnsToArrays(from: object, columns: readonly StoredColumn[]): Record<string, ArrayLike<number>> {
  const source = from as Readonly<Record<string, readonly number[]>>;
  return Object.fromEntries(columns.map(({ name, stored }) => [name, arrays[stored](source[name] ?? [])]));
}

/**
 * Converts a recording to the form in files. `later_ns`: time from the start of the measurement to the start of the
 * recorder, in ns.
 */
export function toSavedRecording(
  about: Pick<SavedRecording, 'label' | 'device'>,
  { spans, trace }: Recording,
  later_ns: number,
): SavedRecording {
  const { names, threads, dropped } = spans;
  return {
    ...about,
    spans: {
      names: [...names],
      threads,
      dropped,
      ...(columnsToLists(spans, spanColumns, later_ns) as Pick<
        SavedRecording['spans'],
        (typeof spanColumns)[number]['name']
      >),
    },
    trace:
      trace === null
        ? null
        : ({
            source: trace.source,
            names: [...trace.names],
            dropped: trace.dropped,
            ...columnsToLists(trace, traceColumns, later_ns),
          } as SavedRecording['trace']),
  };
}

export function fromSavedRecording({ spans, trace }: SavedRecording): Recording {
  return {
    spans: { ...spans, ...(columnsToArrays(spans, spanColumns) as Pick<Spans, (typeof spanColumns)[number]['name']>) },
    trace:
      trace === null
        ? null
        : {
            ...trace,
            ...(columnsToArrays(trace, traceColumns) as Pick<DeviceTrace, (typeof traceColumns)[number]['name']>),
          },
  };
}
