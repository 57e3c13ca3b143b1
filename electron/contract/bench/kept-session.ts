/** Sessions as files keep them: today's, and the formats that are imported. */
import { z } from 'zod';
import { taskKinds } from '../scenario/kinds.ts';
import { imageSessionSchema } from './recorded/image.ts';
import { TASK_SESSION_FORMAT, taskSessionSchema } from './recorded/task.ts';
import { benchSessionSchema } from './recorded/transport.ts';
import { SESSION_FORMAT, sessionSchema } from './session.ts';

/** Files of version 1 had a format for each family of workloads. */
export const recordedSessionSchema = z.discriminatedUnion('format', [
  benchSessionSchema,
  imageSessionSchema,
  taskSessionSchema,
]);

export const keptSessionSchema = z.discriminatedUnion('format', [
  z.discriminatedUnion('format_version', [benchSessionSchema, sessionSchema]),
  imageSessionSchema,
  taskSessionSchema,
]);
export type KeptSession = Readonly<z.infer<typeof keptSessionSchema>>;
export const keptFormats: readonly string[] = [
  SESSION_FORMAT,
  ...recordedSessionSchema.options.map(({ shape }) => shape.format.value),
];

/** Formats begin a file; from version 2 on the workload follows. */
const head =
  /^\s*\{\s*"format"\s*:\s*"([^"]+)"(?:\s*,\s*"format_version"\s*:\s*\d+\s*,\s*"workload"\s*:\s*"([\w-]+)")?/;

/** What the first 200 characters of a file say of a session in it; null of another file. */
export function keptHead(text: string): { readonly format: string; readonly isTask: boolean } | null {
  const [, format, workload = ''] = head.exec(text) ?? [];
  if (format === undefined || !keptFormats.includes(format)) return null;
  // A session of a small workload is a run of it.
  return {
    format,
    isTask:
      format === TASK_SESSION_FORMAT || (format === SESSION_FORMAT && taskKinds.some((kind) => kind === workload)),
  };
}
