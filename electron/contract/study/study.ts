/** Study: base scenarios, and axes along which fields of the scenarios vary. */
import { z } from 'zod';
import { MAX_EXPRESSION_LENGTH } from '../../domain/values/expression.ts';
import { count, editorShape, namingShape } from '../scenario/common-fields.ts';
import { MAX_CONFIGURED_LENGTH } from '../tuning/configured.ts';
import { measureGroups } from './result.ts';

export const MAX_POINTS = 1_000_000;
const MAX_VALUES = 100_000;

const path = z.string().min(1).max(500).meta({
  title: 'Path',
  description: 'Parameter to vary: beam.energy_MeV, solver.variant. a+b sets both to the same value.',
});

const end = (title: string) =>
  z.number().meta({ title, unit: '1', $comment: 'a number, in the unit of the parameter' });
const steps = count({ title: 'Count', description: 'Number of values.', min: 1, max: MAX_VALUES });

const listAxis = z.strictObject({
  kind: z.literal('list'),
  path,
  values: z.array(z.unknown()).min(1).max(MAX_VALUES).meta({ title: 'Values', description: 'Tried in this order.' }),
});
const rangeAxis = z
  .strictObject({ kind: z.literal('range'), path, from: end('From'), to: end('To'), count: steps })
  .meta({ description: 'Evenly spaced, both ends included.' });
const logAxis = z
  .strictObject({ kind: z.literal('log'), path, from: end('From'), to: end('To'), count: steps })
  .meta({ description: 'Evenly spaced in the logarithm, both ends included.' });

const axis = z.discriminatedUnion('kind', [listAxis, rangeAxis, logAxis]);

const betweenSchema = z.strictObject({
  kind: z.literal('between'),
  path,
  from: end('From'),
  to: end('To'),
  scale: z.enum(['linear', 'log']).meta({ title: 'Scale' }).default('linear'),
  whole: z.boolean().meta({ title: 'Whole numbers' }).default(false),
});
const amongSchema = z.strictObject({
  kind: z.literal('among'),
  path,
  values: z.array(z.unknown()).min(1).max(MAX_VALUES),
});
const sampledAxisSchema = z.discriminatedUnion('kind', [betweenSchema, amongSchema]);

const zip = z
  .strictObject({ kind: z.literal('zip'), axes: z.array(axis).min(2).max(50) })
  .meta({ description: 'Axes of equal length that vary together.' });
const random = z
  .strictObject({ kind: z.literal('random'), count: steps, axes: z.array(sampledAxisSchema).min(1).max(50) })
  .meta({ description: 'Drawn independently.' });
const latin = z
  .strictObject({ kind: z.literal('latin'), count: steps, axes: z.array(sampledAxisSchema).min(1).max(50) })
  .meta({ description: 'Latin hypercube: each axis is divided into strata, and every stratum is used once.' });

const tunables = z
  .strictObject({
    kind: z.literal('tunables'),
    variants: z.array(z.string().min(1).max(MAX_CONFIGURED_LENGTH)).min(1).max(50).meta({
      title: 'Variants',
      description: 'Shipped variants by name, user kernels by their file next to the study.',
    }),
    only: z
      .array(z.string().min(1).max(64))
      .max(50)
      .meta({ title: 'Only', description: 'Constants to vary; the others keep their values in the source code.' })
      .optional(),
  })
  .meta({ description: 'All combinations of the tunable constants of these variants.' });

const dimensionSchema = z.discriminatedUnion('kind', [listAxis, rangeAxis, logAxis, zip, random, latin, tunables]);

const baseFile = z.strictObject({
  file: z.string().min(1).max(2000).meta({
    title: 'File',
    description: 'A scenario file, relative to the folder of the study; or the name of a shipped scenario.',
  }),
});
const baseScenario = z.strictObject({
  scenario: z.record(z.string(), z.unknown()).meta({ title: 'Scenario', description: 'The scenario itself.' }),
});

const STUDY_KIND = 'study';
const STUDY_VERSION = 1;

export const studySchema = z.strictObject({
  ...editorShape,
  kind: z.literal(STUDY_KIND),
  version: z.literal(STUDY_VERSION),
  ...namingShape,
  base: z
    .array(z.union([baseFile, baseScenario]))
    .min(1)
    .max(100)
    .meta({ title: 'Base scenarios', description: 'Scenarios of any workload; each is combined with all axes.' }),
  axes: z
    .array(dimensionSchema)
    .max(50)
    .meta({
      title: 'Axes',
      description: 'All combinations are used; zip, random and latin contain several parameters that vary together.',
    })
    .default([]),
  conditions: z
    .array(z.string().min(1).max(MAX_EXPRESSION_LENGTH))
    .max(100)
    .meta({
      title: 'Conditions',
      description: 'A point is used only if all conditions are true: beam.energy_MeV / grid.dx_mm < 400.',
    })
    .default([]),
  seed: count({ title: 'Seed', description: 'Seed for random and latin.', min: 0, max: 4_294_967_295 }).default(1),
  measures: z
    .array(z.enum(measureGroups))
    .max(measureGroups.length)
    .meta({
      title: 'Measures',
      description:
        'Saved results of a point: readouts, curves, the ledger, times, memory, energy. Energy needs timing: alone.',
    })
    .default(['readouts', 'ledger', 'times', 'memory']),
  reference: z
    .record(z.string().min(1).max(500), z.unknown())
    .meta({
      title: 'Reference',
      description:
        'Values of some axes, by path. The reference for the errors of a point is the point with these values and otherwise the same ones.',
    })
    .optional(),
  timing: z
    .enum(['shared', 'alone'])
    .meta({
      title: 'Timing',
      description:
        'shared: several points at the same time, as many as the machine allows. alone: one point at a time, so that times can be compared.',
    })
    .default('shared'),
  grids: z
    .enum(['own', 'shared'])
    .meta({
      title: 'Grids',
      description:
        'own: each beam on its own grid, as in a single run. shared: beams that differ in energy, position and width share the grid of the highest energy, up to 500 together.',
    })
    .default('own'),
  repeats: count({
    title: 'Repeats',
    description: 'Number of times that each point is solved: times are medians, with an interval from 5 on.',
    min: 1,
    max: 1000,
  }).default(1),
  search: z
    .strictObject({
      strategy: z
        .enum(['exhaustive', 'random', 'local'])
        .meta({
          title: 'Strategy',
          description:
            'exhaustive: in order. random: in random order. local: from the defaults to better neighbours, then again from another starting point.',
        })
        .default('local'),
      rounds: count({
        title: 'Rounds',
        description: 'Maximum number of samples per configuration.',
        min: 1,
        max: 1000,
      }).default(7),
      seconds: z
        .number()
        .min(0.01)
        .max(3600)
        .meta({ title: 'Seconds', description: 'Maximum time for the samples of a configuration.', unit: '1' })
        .default(2),
      best: count({
        title: 'Best',
        description:
          'Number of configurations that are measured again at the end, against each other and the defaults.',
        min: 0,
        max: 20,
      }).default(5),
      best_seconds: z
        .number()
        .min(0.01)
        .max(86_400)
        .meta({
          title: 'Time for the best',
          description: 'Maximum time of the final session, which may end earlier by its precision.',
          unit: '1',
        })
        .default(60),
      also: z
        .array(z.string().min(1).max(MAX_CONFIGURED_LENGTH))
        .max(20)
        .meta({
          title: 'Also',
          description:
            'Additional configurations that are measured with the best, such as the best ones on another GPU.',
        })
        .default([]),
    })
    .meta({
      title: 'Search',
      description: 'Tuning: points are measured one by one and checked against the reference, most promising first.',
    })
    .optional(),
  budget: z
    .strictObject({
      points: count({
        title: 'Points',
        description: 'Maximum number of points per run.',
        min: 1,
        max: MAX_POINTS,
      }).optional(),
      minutes: z
        .number()
        .min(0.01)
        .max(5_256_000)
        .meta({ title: 'Minutes', description: 'Maximum time per run.', unit: '1' })
        .optional(),
    })
    .meta({ title: 'Budget', description: 'Limits of one run; a later run continues.' })
    .default({}),
});

export type StudyDocument = Readonly<z.input<typeof studySchema>>;
export type Study = Readonly<z.output<typeof studySchema>>;
export type StudyDimension = Readonly<z.output<typeof dimensionSchema>>;
export type StudyAxis = Readonly<z.output<typeof axis>>;
export type SampledAxis = Readonly<z.output<typeof sampledAxisSchema>>;
