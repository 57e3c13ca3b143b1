/** Calls from the page to its shell: window, menus, log. */
import { z } from 'zod';
import { fileRefSchema } from './files.ts';
import { bytes } from './wire/arrays.ts';

const emptyRequestSchema = z.strictObject({});

/** Entry of the command table from which the native menus are built. */
const menuCommandSchema = z.strictObject({
  id: z.string().max(64),
  title: z.string().max(128),
  /** Menu that contains it, such as `File`; null if in no menu. */
  menu: z.string().max(32).nullable(),
  /** Entry of that menu whose submenu contains it, such as `Open recent`; null if in the menu itself. */
  submenu: z.string().max(64).nullable(),
  /** Group number; a separator divides groups in the menu. */
  group: z.number().int(),
  /** Electron accelerator, such as `CmdOrCtrl+S`. */
  shortcut: z.string().max(64).nullable(),
  enabled: z.boolean(),
  /** Check mark on or off; null for entries without one. */
  checked: z.boolean().nullable(),
});
export type MenuCommand = Readonly<z.infer<typeof menuCommandSchema>>;

/** Handled by shells with `window` or `menus`; others respond with `unsupported`. */
export const shellMethods = {
  /** Title, represented file and unsaved changes, for the window frame and the prompt on closing. */
  'shell.document': {
    params: z.strictObject({ title: z.string().max(255), edited: z.boolean() }),
    result: emptyRequestSchema,
  },
  'shell.menu': {
    params: z.strictObject({ commands: z.array(menuCommandSchema).max(500) }),
    result: emptyRequestSchema,
  },
  /** Reply to the `close-requested` event with that number. */
  'shell.close': { params: z.strictObject({ request: z.int(), close: z.boolean() }), result: emptyRequestSchema },
  /** Shows the log's folder if there is a file manager; otherwise the page shows the text. */
  'log.show': {
    params: emptyRequestSchema,
    result: z.strictObject({
      /** Whether the folder was opened. */
      shown: z.boolean(),
      /** Path of the log; null if the log is not in a file. */
      file: z.string().nullable(),
      /** Last part of the log. */
      text: z.string(),
    }),
  },
  /** Prints a self-contained document to PDF. */
  'shell.pdf': { params: z.strictObject({ html: z.string().max(64 * 2 ** 20) }), result: z.strictObject({ bytes }) },
} as const;

/** Events from the shell to the page. */
export const shellEventSchema = z.discriminatedUnion('kind', [
  /** The user chose a menu entry. */
  z.strictObject({ kind: z.literal('command'), id: z.string() }),
  /** A file was opened from outside: by a double click, or by starting the program again. */
  z.strictObject({ kind: z.literal('open'), file: fileRefSchema, name: z.string() }),
  /** The window is about to close with unsaved changes. A newer request replaces an older one. */
  z.strictObject({ kind: z.literal('close-requested'), request: z.int() }),
]);
export type ShellEvent = Readonly<z.infer<typeof shellEventSchema>>;
