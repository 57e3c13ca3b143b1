/** Notes at positions in a timeline, saved in the library and shown whenever the same timeline is opened. */
import { z } from 'zod';
import { traceIdSchema } from '../timeline.ts';

const MOST_NOTES = 500;

/** On the timeline's own clock; a place without a width is a bookmark. */
const timelineNoteSchema = z.strictObject({
  from_ns: z.number(),
  to_ns: z.number(),
  text: z.string().max(2000),
  /** ISO 8601. */
  created: z.string().max(40),
});
export type TimelineNote = Readonly<z.infer<typeof timelineNoteSchema>>;

export const timelineNotesSchema = z.array(timelineNoteSchema).max(MOST_NOTES).readonly();

const ofTrace = z.strictObject({ trace: traceIdSchema });

export const timelineNoteMethods = {
  'timeline.notes': { params: ofTrace, result: z.strictObject({ notes: timelineNotesSchema }) },
  /** In the place of those that are there. */
  'timeline.keepNotes': {
    params: z.strictObject({ trace: traceIdSchema, notes: timelineNotesSchema }),
    result: z.strictObject({}),
  },
} as const;
