/** Calls from the page to its shell, which provides windows, menus and the log. */
import { z } from 'zod';
import { fileRefSchema } from './files.ts';
import { bytes } from './wire/arrays.ts';

const emptyRequestSchema = z.strictObject({});

/** Command of the page, as an entry of the native menus. */
const menuCommandSchema = z.strictObject({
  id: z.string().max(64),
  title: z.string().max(128),
  /** Title of its menu, such as `File`; null if it is in none. */
  menu: z.string().max(32).nullable(),
  /** Title of its submenu, such as `Open recent`; null if it is directly in the menu. */
  submenu: z.string().max(64).nullable(),
  /** Number of its group; separators divide the groups of a menu. */
  group: z.number().int(),
  /** Keyboard shortcut as an Electron accelerator, such as `CmdOrCtrl+S`. */
  shortcut: z.string().max(64).nullable(),
  enabled: z.boolean(),
  /** Whether its check mark is on; null for an entry without check mark. */
  checked: z.boolean().nullable(),
});
export type MenuCommand = Readonly<z.infer<typeof menuCommandSchema>>;

/** Calls that require the capability `window` or `menus`. Other shells respond with `unsupported`. */
export const shellMethods = {
  /** Sets the window's title and file, and whether closing must prompt for unsaved changes. */
  'shell.document': {
    params: z.strictObject({ title: z.string().max(255), edited: z.boolean() }),
    result: emptyRequestSchema,
  },
  'shell.menu': {
    params: z.strictObject({ commands: z.array(menuCommandSchema).max(500) }),
    result: emptyRequestSchema,
  },
  /** Answers the `close-requested` event that has this number. */
  'shell.close': { params: z.strictObject({ request: z.int(), close: z.boolean() }), result: emptyRequestSchema },
  /** Opens the log's folder in a file manager. Without one, returns the text for display. */
  'log.show': {
    params: emptyRequestSchema,
    result: z.strictObject({
      /** Whether a file manager was opened. */
      shown: z.boolean(),
      /** Path of the log file; null if the log is not written to a file. */
      file: z.string().nullable(),
      /** End of the log text. */
      text: z.string(),
    }),
  },
  /** Converts a self-contained HTML document to PDF. */
  'shell.pdf': { params: z.strictObject({ html: z.string().max(64 * 2 ** 20) }), result: z.strictObject({ bytes }) },
} as const;

/** Events from the shell to the page. */
export const shellEventSchema = z.discriminatedUnion('kind', [
  /** The user chose a menu entry. */
  z.strictObject({ kind: z.literal('command'), id: z.string() }),
  /** A file was opened outside the page, by a double click or by starting the program again. */
  z.strictObject({ kind: z.literal('open'), file: fileRefSchema, name: z.string() }),
  /** The user closes a window that has unsaved changes. A request replaces earlier ones. */
  z.strictObject({ kind: z.literal('close-requested'), request: z.int() }),
]);
export type ShellEvent = Readonly<z.infer<typeof shellEventSchema>>;
