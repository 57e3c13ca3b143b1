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
import {
  blockSizeSchema,
  boundsSchema,
  changingPatternSchema,
  elementwiseSchema,
  gridStrideSchema,
  spgemmSchema,
  spmvSchema,
} from './arrays.ts';
import { imageSeriesSchema, refinementSchema } from './crystals.ts';
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
import { scatteringSchema, stencil1dSchema, stencil2dSchema } from './stencils.ts';
import {
  compactionSchema,
  contentionSchema,
  earlyExitSchema,
  histogramSchema,
  reductionSchema,
  scanSchema,
} from './sums.ts';
import { besideLibrarySchema, coldStartSchema, concurrentKernelsSchema, overlapSchema, timingSchema } from './time.ts';

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
