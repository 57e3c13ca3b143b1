/**
 * User problem: arrays with symbolic shapes and defined contents, tolerances for the outputs, and a reference solution.
 */
import { z } from 'zod';
import { searchSpaceShape } from '../../tuning/configured.ts';
import { count, quantity } from '../common-fields.ts';
import { taskSchema, taskWorkload } from '../task/workload.ts';

/** Scenario kind and workload name of user problems. */
export const USER_PROBLEM = 'user-problem';

/** Schema of a name that candidates in C++, CUDA and Python use as a parameter name. */
const nameSchema = (title: string, description: string) =>
  z
    .string()
    .max(64)
    .regex(/^[A-Za-z][A-Za-z0-9_]*$/)
    .meta({ title, description, $comment: 'a letter, then letters, digits and _, at most 64' });

export const MAX_AXIS_SIZE = 2 ** 31 - 1;

/** Schema of a number or a formula over the axes, such as `4 * rows`. */
const formula = (title: string, description: string) =>
  z
    .union([quantity({ title, description, unit: '1', min: -1e300, max: 1e300 }), z.string().min(1).max(1000)])
    .meta({ title, description, $comment: 'a number, or a formula of the axes such as "4 * rows"' });
export type Formula = number | string;

const axisSchema = z
  .strictObject({
    name: nameSchema('Name', 'Passed to every candidate as a parameter, after the arrays.'),
    about: z.string().max(200).meta({ title: 'About', description: 'The meaning of the axis.' }).default(''),
    min: count({ title: 'Least', description: 'Smallest allowed size.', min: 0, max: MAX_AXIS_SIZE }).default(1),
    max: count({ title: 'Most', description: 'Largest allowed size.', min: 0, max: MAX_AXIS_SIZE }).default(
      MAX_AXIS_SIZE,
    ),
    try: z
      .array(count({ title: 'Size', description: 'A size that candidates must solve.', min: 0, max: MAX_AXIS_SIZE }))
      .max(16)
      .meta({ title: 'Sizes to try', description: 'Candidates must solve the problem at these sizes as well.' })
      .default([]),
  })
  .meta({ title: 'Axis' });

const problemTypes = [
  'fp64',
  'fp32',
  'tf32',
  'fp16',
  'bf16',
  'int32',
  'int8',
  'bool',
  'complex64',
  'complex128',
] as const;
export type ProblemType = (typeof problemTypes)[number];

const pair = (kind: 'uniform' | 'integers' | 'sorted', title: string) =>
  z
    .strictObject({
      kind: z.literal(kind),
      min: formula('Least', 'The smallest value.'),
      max: formula('Most', 'The largest value; excluded for uniform values.'),
      ...(kind === 'uniform' && {
        diagonal: formula('Diagonal', 'Value added to the diagonal of the last two dimensions.').optional(),
      }),
    })
    .meta({ title });

const valuesSchema = z
  .discriminatedUnion('kind', [
    pair('uniform', 'Uniform'),
    z
      .strictObject({
        kind: z.literal('normal'),
        mean: formula('Mean', 'Mean of the distribution.').default(0),
        deviation: formula('Deviation', 'The standard deviation.').default(1),
        diagonal: formula('Diagonal', 'Value added to the diagonal of the last two dimensions.').optional(),
      })
      .meta({ title: 'Normal' }),
    pair('integers', 'Whole numbers'),
    pair('sorted', 'Whole numbers in order'),
    z.strictObject({ kind: z.literal('permutation') }).meta({ title: 'Permutation of 0, 1, …' }),
    z
      .strictObject({
        kind: z.literal('range'),
        first: formula('First', 'The first value.').default(0),
        step: formula('Step', 'Difference between consecutive values.').default(1),
      })
      .meta({ title: 'Range' }),
    z
      .strictObject({ kind: z.literal('constant'), value: formula('Value', 'Value of every element.') })
      .meta({ title: 'Constant' }),
    z
      .strictObject({
        kind: z.literal('file'),
        path: z
          .string()
          .min(1)
          .max(1000)
          .regex(/^(?!\/)(?!.*(?:^|[\\/])\.\.(?:[\\/]|$))(?!.*[:\n])/)
          .meta({
            title: 'File',
            description: 'A file in the folder of the problem: .npy, .bin, .h5 or .safetensors.',
            $comment: 'a path inside the folder of the problem',
          }),
        dataset: z
          .string()
          .max(1000)
          .meta({ title: 'Data set', description: 'Name of the data set in an HDF5 or safetensors file.' })
          .default(''),
      })
      .meta({ title: 'File' }),
  ])
  .meta({
    title: 'Values',
    description:
      'Values of an input. Random values follow a hidden seed; values from a file are the same in every instance.',
  });

const toleranceSchema = z
  .strictObject({
    absolute: formula('Absolute', 'Allowed error of every value.').default(0),
    relative: formula('Relative', 'Allowed error as a share of the expected value.').default(0),
    roundings: formula(
      'Roundings',
      'Allowed error in units of the rounding error of the type, at the largest expected value.',
    ).default(0),
  })
  .meta({
    title: 'Tolerance',
    description:
      'The sum of the three is the largest allowed error against the FP64 reference. Without a tolerance and without terms, results must be exact.',
  });

const arraySchema = z
  .strictObject({
    name: nameSchema('Name', 'Parameter of every candidate, in the order of this list.'),
    role: z.enum(['input', 'output', 'zeroed', 'in-place']).meta({
      title: 'Role',
      description: 'zeroed: an output that is zero before each repetition. in-place: restored before each repetition.',
    }),
    type: z.enum(problemTypes).meta({ title: 'Type', description: 'tf32 is stored as fp32 with 10 bits of fraction.' }),
    shape: z
      .array(formula('Size', 'An axis, a number or a formula.'))
      .max(8)
      .meta({ title: 'Shape', description: 'Slowest dimension first; empty for one value.' }),
    values: valuesSchema.optional(),
    tolerance: toleranceSchema.optional(),
    terms: formula(
      'Terms',
      'Number of terms added for one value of an output. Without a tolerance, each may contribute one rounding error of the largest expected value.',
    ).optional(),
  })
  .meta({ title: 'Array' });
export type ProblemArray = z.infer<typeof arraySchema>;

const launchSchema = z
  .strictObject({
    kernel: nameSchema('Kernel', 'An extern "C" __global__ function of the candidate.'),
    grid: z
      .array(formula('Blocks', 'Number of blocks along one dimension.'))
      .min(1)
      .max(3)
      .meta({ title: 'Grid', description: 'Blocks along x, y, z.' }),
    block: z
      .array(formula('Threads', 'Number of threads along one dimension.'))
      .min(1)
      .max(3)
      .meta({ title: 'Block', description: 'Threads along x, y, z.' }),
    shared_bytes: formula('Shared memory', 'Dynamic shared memory per block.').default(0),
  })
  .meta({ title: 'Launch' });

/** Launch settings that a candidate declares in addition to its code. A candidate for the CPU needs none. */
const candidateSchema = z
  .strictObject({
    file: z
      .string()
      .max(64)
      .regex(/^[A-Za-z0-9][\w.-]*\.(cu|cpp|py)$/)
      .meta({
        title: 'File',
        description: 'File next to the problem.',
        $comment: 'a file that ends in .cpp, .cu or .py',
      }),
    title: z.string().max(100).meta({ title: 'Title', description: 'Title in tables.' }).default(''),
    changes: z
      .string()
      .max(500)
      .meta({ title: 'Changes', description: 'Difference from other candidates.' })
      .default(''),
    launches: z
      .array(launchSchema)
      .max(64)
      .meta({ title: 'Launches', description: 'Launches of a .cu file, executed in order.' })
      .default([]),
    ...searchSpaceShape,
    tunables: searchSpaceShape.tunables.default([]),
  })
  .meta({ title: 'Candidate' });
export type ProblemCandidate = z.infer<typeof candidateSchema>;

const sizesSchema = z
  .record(z.string().max(64), count({ title: 'Size', description: 'Size of an axis.', min: 0, max: MAX_AXIS_SIZE }))
  .meta({ title: 'Sizes', description: 'The size of every axis in this session.' });

const definitionShape = {
  axes: z.array(axisSchema).max(32).meta({ title: 'Axes', description: 'The sizes of the problem.' }),
  constraints: z
    .array(z.string().min(1).max(1000))
    .max(32)
    .meta({ title: 'Constraints', description: 'Conditions on the axes, such as "columns % 4 == 0".' })
    .default([]),
  arrays: z.array(arraySchema).min(1).max(64).meta({ title: 'Arrays', description: 'Inputs and outputs.' }),
  work: z
    .strictObject({
      bytes: formula('Bytes', 'Minimum memory traffic of a repetition; by default each array once.').optional(),
      flops: formula('Operations', 'Minimum arithmetic of a repetition.').optional(),
    })
    .meta({ title: 'Work', description: 'Used for the roofline and the least possible time.' })
    .default({}),
  reference: z
    .string()
    .max(64)
    .regex(/^[A-Za-z0-9][\w.-]*\.(py|ts|mts|mjs|cpp)$/)
    .meta({
      title: 'Reference',
      description: 'A program next to the problem with a function `reference`, computed in FP64.',
      $comment: 'a file that ends in .py, .ts, .mts, .mjs or .cpp',
    }),
  candidates: z
    .array(candidateSchema)
    .max(1000)
    .meta({ title: 'Candidates', description: 'In the order of the ladder; other files in the folder follow.' })
    .default([]),
};
export const definitionSchema = z.strictObject(definitionShape);
export type ProblemDefinition = Readonly<z.infer<typeof definitionSchema>>;

const problemSchema = taskSchema(
  USER_PROBLEM,
  'User problem',
  'arrays, a reference and candidates in a folder',
  sizesSchema,
  definitionShape,
);

export const userProblem = taskWorkload({
  kind: USER_PROBLEM,
  title: 'User problem',
  schema: problemSchema,
  standIns: [
    { path: ['problem'], value: {} },
    { path: ['axes'], value: [] },
    { path: ['arrays'], value: [{ name: 'y', role: 'output', type: 'int32', shape: [] }] },
    { path: ['reference'], value: 'reference.py' },
  ],
  fresh: {
    name: 'axpy',
    problem: { n: 1_000_000 },
    axes: [{ name: 'n' }],
    arrays: [
      { name: 'x', role: 'input', type: 'fp32', shape: ['n'], values: { kind: 'uniform', min: -1, max: 1 } },
      { name: 'y', role: 'output', type: 'fp32', shape: ['n'], tolerance: { relative: 1e-6 } },
    ],
    reference: 'reference.py',
  },
  sweepExample: 'problem.n=1000,100000',
});
