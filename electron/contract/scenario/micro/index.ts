/** The scenarios of the small workloads that isolate one published claim each: their parameters, by row. */
import { z } from 'zod';
import { quantity } from '../quantity.ts';
import { taskSchema } from '../task/shape.ts';
import {
  divergenceSchema,
  fewThreadsSchema,
  fmaSchema,
  fp64Schema,
  gemmSchema,
  imageSeriesSchema,
  instructionLatencySchema,
  refinementSchema,
  unrollingSchema,
} from './arithmetic.ts';
import {
  blockSizeSchema,
  boundsSchema,
  changingPatternSchema,
  elementwiseSchema,
  gridStrideSchema,
  scatteringSchema,
  spgemmSchema,
  spmvSchema,
  stencil1dSchema,
  stencil2dSchema,
} from './arrays.ts';
import {
  bandwidthSchema,
  bankConflictsSchema,
  coalescingSchema,
  latencySchema,
  layoutSchema,
  transposeSchema,
  viewsSchema,
} from './memory.ts';
import {
  compactionSchema,
  contentionSchema,
  earlyExitSchema,
  histogramSchema,
  reductionSchema,
  scanSchema,
} from './sums.ts';
import {
  besideLibrarySchema,
  coldStartSchema,
  concurrentKernelsSchema,
  graphsSchema,
  hostLoopSchema,
  launchSchema,
  overlapSchema,
  timingSchema,
} from './time.ts';
import { elements, number, row } from './words.ts';

/** User kernel written from scratch: inputs, outputs and launch configuration. */
const ownSchema = row('own', 'Kernel of your own', {
  n: elements('Of the inputs a and b, made up from the seed.', 1_000_000, 64_000_000),
  results: number('Results', 'That the kernel leaves; they begin as zeros.', [1, 1_000_000, 64_000_000]),
  block: number(
    'Threads a block',
    'There are as many blocks as give each element and each result a thread.',
    [1, 256, 1024],
  ),
  tolerance: quantity({
    title: 'Tolerance',
    description: 'Most that the results may be off, over the size of the expected ones; 0: equal.',
    unit: '1',
    min: 0,
    max: 1,
  }).default(1e-6),
});

const rowSchema = z
  .discriminatedUnion('kind', [
    launchSchema,
    graphsSchema,
    hostLoopSchema,
    coalescingSchema,
    layoutSchema,
    latencySchema,
    bandwidthSchema,
    stencil1dSchema,
    stencil2dSchema,
    transposeSchema,
    bankConflictsSchema,
    reductionSchema,
    scanSchema,
    compactionSchema,
    histogramSchema,
    fmaSchema,
    divergenceSchema,
    unrollingSchema,
    gemmSchema,
    overlapSchema,
    concurrentKernelsSchema,
    besideLibrarySchema,
    spmvSchema,
    spgemmSchema,
    changingPatternSchema,
    elementwiseSchema,
    viewsSchema,
    timingSchema,
    coldStartSchema,
    gridStrideSchema,
    blockSizeSchema,
    fewThreadsSchema,
    fp64Schema,
    instructionLatencySchema,
    earlyExitSchema,
    contentionSchema,
    boundsSchema,
    ownSchema,
    scatteringSchema,
    imageSeriesSchema,
    refinementSchema,
  ])
  .meta({
    title: 'Row',
    description: 'Which row of the claim ledger, and its parameters.',
  });

export const microSchema = taskSchema(
  'micro',
  'Small workloads',
  'one row of the ledger of published claims',
  rowSchema,
);
