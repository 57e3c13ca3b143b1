/** Recordings as lists of numbers, which JSON keeps, and back. */
import { type KeptRecording, spanColumns, traceColumns } from '../../../contract/recording.ts';
import type { DeviceTrace, Spans } from '../../io/addon/addon.ts';
import type { Recording } from './recording.ts';

const arrays = {
  uint16: (values: readonly number[]) => Uint16Array.from(values),
  uint32: (values: readonly number[]) => Uint32Array.from(values),
  float64: (values: readonly number[]) => Float64Array.from(values),
} as const;

type Stored = { readonly name: string; readonly stored: keyof typeof arrays };

/** Times are moved by `later_ns`, and whole: a fraction of a nanosecond is none of the clock's. */
function listed(from: object, columns: readonly Stored[], later_ns: number): Record<string, number[]> {
  const source = from as Readonly<Record<string, ArrayLike<number>>>;
  return Object.fromEntries(
    columns.map(({ name }) => {
      const values = Array.from(source[name] ?? []);
      return [name, name.endsWith('_ns') ? values.map((at) => Math.round(at + later_ns)) : values];
    }),
  );
}

function packed(from: object, columns: readonly Stored[]): Record<string, ArrayLike<number>> {
  const source = from as Readonly<Record<string, readonly number[]>>;
  return Object.fromEntries(columns.map(({ name, stored }) => [name, arrays[stored](source[name] ?? [])]));
}

/** `later_ns`: how long after the measurement's beginning the recorder began. */
export function keptRecording(
  about: Pick<KeptRecording, 'label' | 'device'>,
  { spans, trace }: Recording,
  later_ns: number,
): KeptRecording {
  const { names, threads, dropped } = spans;
  return {
    ...about,
    spans: {
      names: [...names],
      threads,
      dropped,
      ...(listed(spans, spanColumns, later_ns) as Pick<KeptRecording['spans'], (typeof spanColumns)[number]['name']>),
    },
    trace:
      trace === null
        ? null
        : ({
            source: trace.source,
            names: [...trace.names],
            dropped: trace.dropped,
            ...listed(trace, traceColumns, later_ns),
          } as KeptRecording['trace']),
  };
}

export function recordingOf({ spans, trace }: KeptRecording): Recording {
  return {
    spans: { ...spans, ...(packed(spans, spanColumns) as Pick<Spans, (typeof spanColumns)[number]['name']>) },
    trace:
      trace === null
        ? null
        : { ...trace, ...(packed(trace, traceColumns) as Pick<DeviceTrace, (typeof traceColumns)[number]['name']>) },
  };
}
