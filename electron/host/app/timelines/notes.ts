/**
 * Notes on timelines. Each timeline has one file in the library's folder `notes`, named by a hash of its properties.
 */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { type TimelineNote, timelineNotesSchema } from '../../../contract/projects/timeline-notes.ts';
import type { TraceInfo } from '../../../contract/timeline.ts';
import { readStateJson } from '../../io/files/plain-file.ts';
import { writeWithoutSync } from '../../io/files/write-file.ts';

export const NOTES_FOLDER = 'notes';
export const NOTES_ENDING = '.notes';
const FORMAT = 'braggbench-notes';
/** Maximum size of a file in bytes, enough for the maximum number of notes of maximum length. */
const MAX_BYTES = 4 * 2 ** 20;

export const notesFileSchema = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(1),
  /** Describes the timeline for people who read the file. */
  timeline: z.strictObject({ name: z.string(), duration_ns: z.number(), spans: z.number() }),
  notes: timelineNotesSchema,
});

/** Hash that identifies a timeline independently of its file's path and its run's name. */
function timelineHash({ duration_ns, spans, lanes }: TraceInfo): string {
  const told = [duration_ns, spans, lanes.map(({ name, spans: of }) => [name, of])];
  return createHash('sha256').update(JSON.stringify(told)).digest('hex').slice(0, 24);
}

const notesFile = (library: string, info: TraceInfo): string =>
  path.join(library, NOTES_FOLDER, `${timelineHash(info)}${NOTES_ENDING}`);

/** Reads the notes. Throws BraggError `foreign-file` for a damaged file, so that it is not overwritten. */
export async function readNotes(library: string, info: TraceInfo): Promise<readonly TimelineNote[]> {
  const kept = await readStateJson(notesFile(library, info), notesFileSchema, MAX_BYTES);
  return kept?.notes ?? [];
}

export async function writeNotes(library: string, info: TraceInfo, notes: readonly TimelineNote[]): Promise<void> {
  await readNotes(library, info);
  const file = notesFile(library, info);
  const { name, duration_ns, spans } = info;
  await mkdir(path.dirname(file), { recursive: true });
  const kept = { format: FORMAT, version: 1, timeline: { name, duration_ns, spans }, notes };
  await writeWithoutSync(file, `${JSON.stringify(kept, null, 2)}\n`);
}
