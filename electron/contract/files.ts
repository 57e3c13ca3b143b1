/**
 * The page never names a path. It holds references: a name in the library, or
 * a grant. The host makes one when the user chose a file in a dialog, dropped
 * it, or named it on the command line.
 */
import { z } from 'zod';

export const fileRefSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('library'),
    /**
     * File name in the library folder, such as `water-70MeV.json`: no separators, no leading dot. Of an example, its
     * folder too: `diffraction/mosaic-1000.json`.
     */
    key: z.string().min(1).max(200),
  }),
  z.strictObject({
    kind: z.literal('granted'),
    key: z.string().min(1).max(64),
  }),
]);
export type FileRef = Readonly<z.infer<typeof fileRefSchema>>;

export const namedFileSchema = z.strictObject({
  file: fileRefSchema,
  /** File name without folder. */
  name: z.string(),
  /** Location shown to the user: a full path, or `library`. */
  place: z.string(),
});
export type NamedFile = Readonly<z.infer<typeof namedFileSchema>>;

export const filePurposeSchema = z.enum([
  'open-scenario',
  'save-scenario',
  'open-run',
  'open-trace',
  'open-session',
  'save-run',
  'export',
]);
export type FilePurpose = z.infer<typeof filePurposeSchema>;
