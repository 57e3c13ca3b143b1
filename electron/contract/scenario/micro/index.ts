/** The scenarios of the small workloads that isolate one published claim each: their parameters, by row. */
import { z } from 'zod';
import { taskSchema } from '../task/shape.ts';
import {
  divergenceSchema,
  fewThreadsSchema,
  fmaSchema,
  fp64Schema,
  gemmSchema,
  instructionLatencySchema,
  unrollingSchema,
} from './arithmetic.ts';
import { blockSizeSchema, boundsSchema, elementwiseSchema, gridStrideSchema, spmvSchema } from './arrays.ts';
import { graphsSchema, hostLoopSchema, launchSchema } from './launches.ts';
import {
  bandwidthSchema,
  bankConflictsSchema,
  coalescingSchema,
  latencySchema,
  layoutSchema,
  transposeSchema,
  viewsSchema,
} from './memory.ts';
import { ownSchema } from './own.ts';
import { stencil1dSchema, stencil2dSchema } from './stencils.ts';
import {
  compactionSchema,
  contentionSchema,
  earlyExitSchema,
  histogramSchema,
  reductionSchema,
  scanSchema,
} from './sums.ts';
import { coldStartSchema, concurrentKernelsSchema, overlapSchema, timingSchema } from './time.ts';

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
    spmvSchema,
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
