/** What the program tells about itself: its log, and newer versions of it. */
import { z } from 'zod';

const nothing = z.strictObject({});

export const desktopMethods = {
  /** Shows the log's folder where there is a file manager; otherwise the page shows the text. */
  'log.show': {
    params: nothing,
    result: z.strictObject({
      /** The folder was opened. */
      shown: z.boolean(),
      /** Path of the log; null where it is not kept in a file. */
      file: z.string().nullable(),
      /** Its last part. */
      text: z.string(),
    }),
  },
  /** Whether newer versions are looked for at start; `atStart` null: only tells. Off until the user wants it. */
  'updates.atStart': {
    params: z.strictObject({ atStart: z.boolean().nullable() }),
    result: z.strictObject({ atStart: z.boolean() }),
  },
  /** Asks for a newer version now; null: this is the newest. Only in the desktop program. */
  'updates.check': {
    params: nothing,
    result: z.strictObject({ current: z.string(), newer: z.string().nullable() }),
  },
  /** Downloads the newer version that was found, and puts it in place when the program ends. */
  'updates.install': { params: nothing, result: nothing },
} as const;
