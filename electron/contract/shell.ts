/** Calls of the page about what surrounds it: window, menus, log. */
import { z } from 'zod';
import { fileRefSchema } from './files.ts';
import { bytes } from './wire/arrays.ts';

const nothing = z.strictObject({});

/** One entry of the command table that the native menus are made from. */
const menuCommandSchema = z.strictObject({
  id: z.string().max(64),
  title: z.string().max(128),
  /** Menu that contains it, such as `File`; null if in no menu. */
  menu: z.string().max(32).nullable(),
  /** Entry of that menu whose submenu contains it, such as `Open recent`; null if in the menu itself. */
  submenu: z.string().max(64).nullable(),
  /** Entries of different groups are separated in the menu. */
  group: z.number().int(),
  /** Electron accelerator, such as `CmdOrCtrl+S`. */
  shortcut: z.string().max(64).nullable(),
  enabled: z.boolean(),
  /** On or off; null for entries that are neither. */
  checked: z.boolean().nullable(),
});
export type MenuCommand = Readonly<z.infer<typeof menuCommandSchema>>;

/** Handled by shells with `window` or `menus`; others answer `unsupported`. */
export const shellMethods = {
  /** Title, represented file and unsaved changes, for the window frame and the close guard. */
  'shell.document': {
    params: z.strictObject({ title: z.string().max(255), edited: z.boolean() }),
    result: nothing,
  },
  'shell.menu': { params: z.strictObject({ commands: z.array(menuCommandSchema).max(500) }), result: nothing },
  /** The page's answer to the `close-requested` of that number. */
  'shell.close': { params: z.strictObject({ request: z.int(), close: z.boolean() }), result: nothing },
  /** Shows the log's folder where there is a file manager; otherwise the page shows the text. */
  'log.show': {
    params: nothing,
    result: z.strictObject({
      /** The folder was opened. */
      shown: z.boolean(),
      /** Path of the log; null where it is not in a file. */
      file: z.string().nullable(),
      /** Its last part. */
      text: z.string(),
    }),
  },
  /** A document that needs nothing besides itself, printed. */
  'shell.pdf': { params: z.strictObject({ html: z.string().max(64 * 2 ** 20) }), result: z.strictObject({ bytes }) },
} as const;

/** Events from the shell to the page. */
export const shellEventSchema = z.discriminatedUnion('kind', [
  /** A menu entry was chosen. */
  z.strictObject({ kind: z.literal('command'), id: z.string() }),
  /** A file was opened from outside: double click, second start of the program. */
  z.strictObject({ kind: z.literal('open'), file: fileRefSchema, name: z.string() }),
  /** The window is to close although there are unsaved changes. A later request takes the place of an earlier. */
  z.strictObject({ kind: z.literal('close-requested'), request: z.int() }),
]);
export type ShellEvent = Readonly<z.infer<typeof shellEventSchema>>;
