/**
 * Timeline recording of an engine: spans of its threads and, if traced, GPU work and driver calls. It is stored in
 * columns. Run files store columns as arrays, session files as lists of numbers.
 */
import { z } from 'zod';

export const spanColumns = [
  /** Index into the list of names. */
  { name: 'name', stored: 'uint16' },
  { name: 'thread', stored: 'uint16' },
  { name: 'step', stored: 'uint32' },
  { name: 'start_ns', stored: 'float64' },
  { name: 'end_ns', stored: 'float64' },
] as const;

/** Columns of a trace; `per` is the number of values for each span. */
export const traceColumns = [
  { name: 'kind', per: 1, stored: 'uint16' },
  { name: 'name', per: 1, stored: 'uint32' },
  { name: 'start_ns', per: 1, stored: 'float64' },
  { name: 'end_ns', per: 1, stored: 'float64' },
  { name: 'stream', per: 1, stored: 'uint32' },
  { name: 'correlation', per: 1, stored: 'uint32' },
  { name: 'grid', per: 3, stored: 'uint32' },
  { name: 'block', per: 3, stored: 'uint32' },
  { name: 'registers', per: 1, stored: 'uint32' },
  { name: 'static_shared_bytes', per: 1, stored: 'uint32' },
  { name: 'dynamic_shared_bytes', per: 1, stored: 'uint32' },
  { name: 'bytes', per: 1, stored: 'float64' },
  { name: 'graph', per: 1, stored: 'uint32' },
  { name: 'graph_node', per: 1, stored: 'float64' },
] as const;

const columnSchema = z.array(z.number());
const count = z.number().int().nonnegative();

type ColumnsShape<C extends readonly { readonly name: string }[]> = Record<C[number]['name'], typeof columnSchema>;

function columnsShape<const C extends readonly { readonly name: string }[]>(columns: C): ColumnsShape<C> {
  return Object.fromEntries(columns.map(({ name }) => [name, columnSchema])) as ColumnsShape<C>;
}

/** Recording of one variant of a session. Times are in nanoseconds since the session's first recorder was started. */
export const recordingSchema = z.strictObject({
  /** Label of the variant's entry in the session. */
  label: z.string(),
  /** GPU that the variant ran on; null on the CPU. */
  device: z.string().nullable(),
  spans: z.strictObject({ names: z.array(z.string()), threads: count, dropped: count, ...columnsShape(spanColumns) }),
  /** GPU work and driver calls of the traced sample. Null on the CPU, or if no sample was traced. */
  trace: z
    .strictObject({ source: z.string(), names: z.array(z.string()), dropped: count, ...columnsShape(traceColumns) })
    .nullable(),
});
export type SavedRecording = Readonly<z.infer<typeof recordingSchema>>;
