/**
 * Simulated box: a background material with rectangular regions, or matter from a CT slice. For a CT, also the beam's
 * position in it and the meaning of its numbers. A user material has a composition and a density, from which its other
 * properties are derived.
 */
import { z } from 'zod';
import { valueAt } from '../../../domain/values/path.ts';
import { companionFile, interval, quantity } from '../common-fields.ts';
import { suggestSimilarWord } from '../field-issue.ts';
import { isElement, materialNames, parseFormula } from '../materials.ts';

/** Limits on the dimensions of the box and of its cells, mm. */
export const widthLimits_mm = { min: 0.001, max: 10_000 };
export const depthLimits_mm = { min: 0.001, max: 5000 };
export const cellLimits_mm = { min: 1e-5, max: 100 };
/** Limited, because the solver stores the material index of each cell in one byte. */
export const maxUserMaterials = 100;
/** Allowed deviation of the sum of mass fractions from 1, because published fractions are rounded. */
const SUM_TOLERANCE = 0.01;

const nameSchema = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z][A-Za-z0-9_-]*$/)
  .meta({
    title: 'Name',
    description: 'Name of the material in regions and tables.',
    $comment: 'a letter, then letters, digits, - and _, up to 64',
  });

const userMaterialSchema = z
  .strictObject({
    name: nameSchema,
    formula: z
      .string()
      .max(200)
      .meta({ title: 'Formula', description: 'A chemical formula, such as C5H8O2. Alternative: a composition.' })
      .optional(),
    composition: z
      .record(z.string().max(2), z.number().positive().max(1))
      .meta({ title: 'Composition', description: 'Mass fraction of each element by its symbol; the sum is 1.' })
      .optional(),
    density_g_cm3: quantity({
      title: 'Density',
      description: 'Mass density of the material.',
      unit: 'g_cm3',
      min: 1e-6,
      max: 30,
    }),
    mean_excitation_eV: quantity({
      title: 'Mean excitation energy',
      description:
        "Mean excitation energy I. Default: the value in ICRU Reports 37 and 49 for a formula listed there, otherwise Bragg's rule for the elements.",
      unit: 'eV',
      min: 10,
      max: 1000,
    }).optional(),
  })
  .superRefine(({ name, formula, composition }, context) => {
    const refuse = (path: readonly string[], message: string, allowed: string): void =>
      context.addIssue({ code: 'custom', path: [...path], message, params: { allowed } });
    if ((materialNames as readonly string[]).includes(name)) {
      refuse(['name'], 'is a built-in material', 'a unique name');
    }
    if ((formula === undefined) === (composition === undefined)) {
      const says = formula === undefined ? 'has neither formula nor composition' : 'cannot be combined with formula';
      refuse(formula === undefined ? ['name'] : ['composition'], says, 'either formula or composition');
      return;
    }
    if (formula !== undefined && parseFormula(formula) === null) {
      refuse(['formula'], 'is not a chemical formula', 'symbols of elements with numbers, such as C5H8O2 or Ca(OH)2');
    }
    const fractions = Object.entries(composition ?? {});
    const unknown = fractions.find(([symbol]) => !isElement(symbol));
    if (unknown !== undefined) {
      refuse(['composition', unknown[0]], 'is not the symbol of an element', 'symbols such as H, C, O, Ca');
      return;
    }
    const sum = fractions.reduce((total, [, fraction]) => total + fraction, 0);
    if (composition !== undefined && !(Math.abs(sum - 1) <= SUM_TOLERANCE)) {
      refuse(
        ['composition'],
        `has mass fractions that sum to ${Number(sum.toPrecision(5))}`,
        `fractions whose sum is 1 within ${SUM_TOLERANCE}`,
      );
    }
  });

export type UserMaterial = z.output<typeof userMaterialSchema>;

/** Schema of a table point's Hounsfield units. */
const hounsfield = z.number().min(-10_000).max(100_000).meta({ unit: '1' });
const MAX_POINTS = 200;

/** Whether the first numbers of the points ascend. */
const areAscending = (points: readonly (readonly [number, unknown])[]): boolean =>
  points.every(([hu], i) => i === 0 || hu > (points[i - 1]?.[0] ?? Number.NEGATIVE_INFINITY));

const ascendingOrder = { error: 'is not in ascending order', params: { allowed: 'points in ascending order of HU' } };

export const huTableSchema = z.strictObject({
  density: z
    .array(z.tuple([hounsfield, z.number().min(1e-6).max(30).meta({ unit: '1' })]))
    .min(2)
    .max(MAX_POINTS)
    .refine(areAscending, ascendingOrder)
    .meta({ title: 'Density', description: 'Points [HU, g/cm³], interpolated linearly.' }),
  materials: z
    .array(z.tuple([hounsfield, z.string().min(1).max(64)]))
    .min(1)
    .max(MAX_POINTS)
    .refine(areAscending, ascendingOrder)
    .meta({
      title: 'Materials',
      description: 'Points [HU, material]: each material is used from its HU up to the next point.',
    }),
});

const shippedHuTables = ['schneider'] as const;

const coordinateSchema = z.number().min(-10_000).max(10_000).meta({ unit: 'mm' });

const ctSchema = z.strictObject({
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
      description: 'CT series to use if the folder has several: its SeriesInstanceUID, or its SeriesDescription.',
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
      'Position of the slice along the third patient axis; the nearest slice is used. Default: the middle one.',
    unit: 'mm',
    min: -10_000,
    max: 10_000,
  }).optional(),
  angle_deg: quantity({
    title: 'Direction',
    description:
      'Angle of the beam in the slice: 0 is along its second axis, from front to back; 90 comes from the left.',
    unit: 'deg',
    min: -360,
    max: 360,
  }).default(0),
  isocentre_mm: z
    .tuple([coordinateSchema, coordinateSchema])
    .meta({
      title: 'Isocentre',
      description:
        'Point of the slice on the line x = 0, along its two axes in patient coordinates. Default: its middle.',
    })
    .optional(),
  isocentre_depth_mm: quantity({
    title: 'Isocentre depth',
    description: 'Depth z of the isocentre in the box. By default the box begins at the edge of the image.',
    unit: 'mm',
    min: -5000,
    max: 5000,
  }).optional(),
  frame_of_reference: z
    .string()
    .regex(/^[\d.]{1,64}$/)
    .meta({
      title: 'Frame of reference',
      description: 'FrameOfReferenceUID of a DICOM CT, written into an RT Dose of the run. Default: that of the file.',
    })
    .optional(),
  hu_table: z
    .union([z.enum(shippedHuTables), huTableSchema])
    .meta({
      title: 'HU table',
      description:
        'Density and material by Hounsfield unit. schneider: the 24 materials of Schneider et al. Or your own table.',
    })
    .default('schneider'),
  outside: z
    .string()
    .min(1)
    .max(64)
    .meta({ title: 'Outside', description: 'Material outside of the image.' })
    .default('air'),
});
export type CtPlacement = z.output<typeof ctSchema>;

/** Limited, because the solver stores material indices, including water's, in one byte. */
export const maxRegions = 200;

/** Name of a built-in or user material. The check that it exists is part of `geometrySchema`. */
const materialSchema = z
  .string()
  .min(1)
  .max(64)
  .meta({ examples: [...materialNames] });

const regionSchema = z.strictObject({
  name: z.string().max(200).meta({ title: 'Name', description: 'Name of this region in lists.' }).default(''),
  material: materialSchema.meta({
    title: 'Material',
    description: 'Material of the region: built-in, or your own.',
  }),
  x_mm: interval({
    title: 'Across',
    description: 'Lateral extent [from, to]; 0 is the middle of the geometry. Default: the whole width.',
    unit: 'mm',
    min: -5000,
    max: 5000,
  }).optional(),
  z_mm: interval({
    title: 'Depth',
    description: 'Extent in depth [from, to]; 0 is the surface.',
    unit: 'mm',
    min: 0,
    max: 5000,
  }),
  density_scale: quantity({
    title: 'Density factor',
    description: "Factor by which the material's density is multiplied.",
    unit: '1',
    min: 0.001,
    max: 20,
  }).default(1),
});

const geometryShape = {
  width_mm: quantity({
    title: 'Width',
    description: 'Lateral size, centred on x = 0. Default: about the range of the beam.',
    unit: 'mm',
    ...widthLimits_mm,
  }).optional(),
  depth_mm: quantity({
    title: 'Depth',
    description: 'Size in depth, from z = 0. Default: about 1.2 ranges of the beam.',
    unit: 'mm',
    ...depthLimits_mm,
  }).optional(),
  background: materialSchema
    .meta({ title: 'Background', description: 'The material outside of all regions.' })
    .default('water'),
  regions: z
    .array(regionSchema)
    .max(maxRegions)
    .meta({
      title: 'Regions',
      description:
        'Rectangles of other materials; later ones cover earlier ones. A cell that is cut by boundaries contains a mixture of the materials, in proportion to their areas in the cell.',
    })
    .default([]),
  materials: z
    .array(userMaterialSchema)
    .max(maxUserMaterials)
    .meta({
      title: 'Own materials',
      description:
        "Defined by formula or mass fractions, density and I. Stopping follows from Bethe's formula, scattering from the composition.",
    })
    .default([]),
  ct: ctSchema
    .meta({
      title: 'CT',
      description: 'Matter from a slice of a CT instead of the background. Regions cover it.',
    })
    .optional(),
};

/** Values of `name` in a list that may be invalid. */
const namesInList = (list: unknown): readonly unknown[] =>
  Array.isArray(list) ? list.map((each: unknown) => valueAt(each, ['name'])) : [];

export const geometrySchema = z.strictObject(geometryShape).superRefine(
  ({ background, regions, materials, ct }, context) => {
    const own = namesInList(materials).map(String);
    const known: readonly string[] = [...materialNames, ...own];
    const refuse = (path: readonly (string | number)[], message: string, allowed: string): void =>
      context.addIssue({ code: 'custom', path: [...path], message, params: { allowed } });
    const check = (path: readonly (string | number)[], name: unknown): void => {
      if (typeof name !== 'string' || known.includes(name)) return;
      const near = suggestSimilarWord(name, known);
      refuse(path, near === null ? 'is not known' : `is not known (did you mean ${near}?)`, known.join(', '));
    };
    check(['background'], background);
    for (const [i, region] of (Array.isArray(regions) ? regions : []).entries()) {
      check(['regions', i, 'material'], valueAt(region, ['material']));
    }
    check(['ct', 'outside'], valueAt(ct, ['outside']));
    const table = valueAt(ct, ['hu_table', 'materials']);
    for (const [i, point] of (Array.isArray(table) ? table : []).entries()) {
      check(['ct', 'hu_table', 'materials', i, 1], valueAt(point, [1]));
    }
    own.forEach((name, i) => {
      if (own.indexOf(name) < i) refuse(['materials', i, 'name'], 'is used for two materials', 'a unique name');
    });
  },
  // Check names even if there are other errors, so that all are reported together.
  { when: ({ value }) => typeof value === 'object' && value !== null },
);
