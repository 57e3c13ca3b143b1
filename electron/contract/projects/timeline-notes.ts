/**
 * Notes at positions of a timeline. They are saved in the library and shown again when the timeline is opened again.
 */
import { z } from 'zod';
import { traceIdSchema } from '../timeline.ts';

const MAX_NOTES = 500;

/** Note at a time of the timeline's clock. A note without a width is a bookmark. */
const timelineNoteSchema = z.strictObject({
  from_ns: z.number(),
  to_ns: z.number(),
  text: z.string().max(2000),
  /** Time of creation, ISO 8601. */
  created: z.string().max(40),
});
export type TimelineNote = Readonly<z.infer<typeof timelineNoteSchema>>;

export const timelineNotesSchema = z.array(timelineNoteSchema).max(MAX_NOTES).readonly();

const traceRequestSchema = z.strictObject({ trace: traceIdSchema });

export const timelineNoteMethods = {
  'timeline.notes': { params: traceRequestSchema, result: z.strictObject({ notes: timelineNotesSchema }) },
  /** Replaces all notes of a timeline. */
  'timeline.keepNotes': {
    params: z.strictObject({ trace: traceIdSchema, notes: timelineNotesSchema }),
    result: z.strictObject({}),
  },
} as const;
