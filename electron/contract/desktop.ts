/** Calls about the program itself: its log. */
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
} as const;
