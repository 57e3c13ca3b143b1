/** The slice of a CT that a scenario takes its matter from, with the box of the solver and the beam's way in it. */
import { z } from 'zod';
import { fieldMapSchema } from './fields.ts';
import { fileRefSchema } from './files.ts';
import { scenarioDraftSchema } from './scenario/draft.ts';

/** Along the two axes of the slice, mm in the patient's coordinates. */
const pointSchema = z.tuple([z.number(), z.number()]);

const ctPictureSchema = z.strictObject({
  plane: z.enum(['transverse', 'coronal', 'sagittal']),
  /** Hounsfield units; both axes ascend in the patient's coordinates. */
  slice: fieldMapSchema,
  /** Place of the slice along the third axis, and those of the first and the last one there is. */
  at_mm: z.number(),
  from_mm: z.number(),
  to_mm: z.number(),
  slices: z.number().int().positive(),
  /** Corners of the box, one after the other. */
  box: z.array(pointSchema).length(4),
  /** Ways of the beams from their entrance on: of a single one to its range, of spots and of what leaves through the box. */
  beams: z.array(z.strictObject({ from: pointSchema, to: pointSchema })),
  /** Whether the ways end at the range. */
  toRange: z.boolean(),
});
export type CtPicture = Readonly<z.infer<typeof ctPictureSchema>>;

export const ctPictureMethods = {
  /** Null if there is no CT or it cannot be used; `scenario.resolve` reports the reason. */
  'ct.picture': {
    params: z.strictObject({
      scenario: scenarioDraftSchema,
      file: fileRefSchema.nullable().default(null),
      /** Most samples along either axis. */
      pixels: z.number().int().min(16).max(2048),
    }),
    result: z.strictObject({ picture: ctPictureSchema.nullable() }),
  },
} as const;
