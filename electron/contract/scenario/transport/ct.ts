/** Matter from a slice of a CT: which one, how the beam lies in it, and what its numbers mean. */
import { z } from 'zod';
import { companionFile } from '../companion-file.ts';
import { quantity } from '../quantity.ts';

/** Hounsfield units, a point of a table. */
const hounsfield = z.number().min(-10_000).max(100_000).meta({ unit: '1' });
const MOST_POINTS = 200;

/** Points whose first numbers ascend. */
const ascending = (points: readonly (readonly [number, unknown])[]): boolean =>
  points.every(([hu], i) => i === 0 || hu > (points[i - 1]?.[0] ?? Number.NEGATIVE_INFINITY));

const order = { error: 'does not ascend', params: { allowed: 'points whose HU ascend' } };

export const huTableSchema = z.strictObject({
  density: z
    .array(z.tuple([hounsfield, z.number().min(1e-6).max(30).meta({ unit: '1' })]))
    .min(2)
    .max(MOST_POINTS)
    .refine(ascending, order)
    .meta({ title: 'Density', description: 'Points [HU, g/cm³]; straight lines between them.' }),
  materials: z
    .array(z.tuple([hounsfield, z.string().min(1).max(64)]))
    .min(1)
    .max(MOST_POINTS)
    .refine(ascending, order)
    .meta({ title: 'Materials', description: 'Points [HU, material]: each from its HU on, up to the next.' }),
});

const shippedHuTables = ['schneider'] as const;

const place = z.number().min(-10_000).max(10_000).meta({ unit: 'mm' });

export const ctSchema = z.strictObject({
  file: companionFile({
    title: 'File',
    description:
      'A folder with a DICOM series, a DICOM file, NRRD (.nrrd) or MetaImage (.mha, .mhd), in Hounsfield units.',
    example: 'ct/thorax',
  }),
  series: z
    .string()
    .min(1)
    .max(64)
    .meta({
      title: 'Series',
      description:
        'Which CT series of a folder that holds several: its SeriesInstanceUID, or its SeriesDescription. Left out: the only one.',
    })
    .optional(),
  plane: z
    .enum(['transverse', 'coronal', 'sagittal'])
    .meta({
      title: 'Plane',
      description: 'transverse: left and back; coronal: left and head; sagittal: back and head.',
    })
    .default('transverse'),
  at_mm: quantity({
    title: 'Slice',
    description:
      'Place of the slice along the third axis of the patient; the nearest is taken. Left out: the middle one.',
    unit: 'mm',
    min: -10_000,
    max: 10_000,
  }).optional(),
  angle_deg: quantity({
    title: 'Direction',
    description:
      'Angle of the beam in the slice: 0 goes along its second axis, from the front to the back; 90 comes from the left.',
    unit: 'deg',
    min: -360,
    max: 360,
  }).default(0),
  isocentre_mm: z
    .tuple([place, place])
    .meta({
      title: 'Isocentre',
      description:
        "Point of the slice, along its two axes in the patient's coordinates, through which x = 0 goes. Left out: its middle.",
    })
    .optional(),
  isocentre_depth_mm: quantity({
    title: 'Isocentre depth',
    description: 'Depth z of the isocentre in the box. Left out: the box begins at the edge of the image.',
    unit: 'mm',
    min: -5000,
    max: 5000,
  }).optional(),
  frame_of_reference: z
    .string()
    .regex(/^[\d.]{1,64}$/)
    .meta({
      title: 'Frame of reference',
      description:
        'FrameOfReferenceUID of a DICOM CT, which an RT Dose of the run carries. Left out: that of the file.',
    })
    .optional(),
  hu_table: z
    .union([z.enum(shippedHuTables), huTableSchema])
    .meta({
      title: 'HU table',
      description:
        'Density and material by Hounsfield unit. schneider: the 24 materials of Schneider et al. Or one of your own.',
    })
    .default('schneider'),
  outside: z
    .string()
    .min(1)
    .max(64)
    .meta({ title: 'Outside', description: 'What lies beside the image.' })
    .default('air'),
});
export type CtPlacement = z.output<typeof ctSchema>;
