/** Notes on timelines: one file each in the library's folder `notes`, named by a hash of the timeline. */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { type TimelineNote, timelineNotesSchema } from '../../../contract/projects/timeline-notes.ts';
import type { TraceInfo } from '../../../contract/timeline.ts';
import { readStateJson } from '../../io/files/plain-file.ts';
import { writeReplacing } from '../../io/files/write-file.ts';

export const NOTES_FOLDER = 'notes';
export const NOTES_ENDING = '.notes';
const FORMAT = 'braggbench-notes';
/** Size limit of a file: enough for the maximum number of notes with the maximum length. */
const MAX_BYTES = 4 * 2 ** 20;

export const notesFileSchema = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(1),
  /** Description of the timeline for human readers. */
  timeline: z.strictObject({ name: z.string(), duration_ns: z.number(), spans: z.number() }),
  notes: timelineNotesSchema,
});

/** Key that does not depend on the path of the file or the name of the run. */
function keyOf({ duration_ns, spans, lanes }: TraceInfo): string {
  const told = [duration_ns, spans, lanes.map(({ name, spans: of }) => [name, of])];
  return createHash('sha256').update(JSON.stringify(told)).digest('hex').slice(0, 24);
}

const fileOf = (library: string, info: TraceInfo): string =>
  path.join(library, NOTES_FOLDER, `${keyOf(info)}${NOTES_ENDING}`);

/** Throws BraggError `foreign-file` for a damaged file, so that notes are not overwritten. */
export async function readNotes(library: string, info: TraceInfo): Promise<readonly TimelineNote[]> {
  const kept = await readStateJson(fileOf(library, info), notesFileSchema, MAX_BYTES);
  return kept?.notes ?? [];
}

export async function writeNotes(library: string, info: TraceInfo, notes: readonly TimelineNote[]): Promise<void> {
  await readNotes(library, info);
  const file = fileOf(library, info);
  const { name, duration_ns, spans } = info;
  await mkdir(path.dirname(file), { recursive: true });
  const kept = { format: FORMAT, version: 1, timeline: { name, duration_ns, spans }, notes };
  await writeReplacing(file, `${JSON.stringify(kept, null, 2)}\n`);
}
