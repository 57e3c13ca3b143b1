/** Calls of the contract by name, with schemas of their parameters and results. */
import { z } from 'zod';
import { commissionMethods } from '../beams/commission.ts';
import { sobpMethods } from '../beams/sobp.ts';
import { uncertaintyMethods } from '../beams/uncertainty.ts';
import { volumeMethods } from '../beams/volume.ts';
import { benchMethods } from '../bench/benches.ts';
import { claimTableMethods } from '../bench/claim-table.ts';
import { comparisonMethods } from '../bench/comparison.ts';
import { decisionMethods } from '../bench/decision.ts';
import { historyMethods } from '../bench/history.ts';
import { capabilitiesSchema } from '../capabilities.ts';
import { doseMethods } from '../dose.ts';
import { issueSchema } from '../errors.ts';
import { axisNameSchema, ctPictureMethods, curveSchema } from '../fields.ts';
import { figureMethods } from '../figures.ts';
import { filePurposeSchema, fileRefSchema, libraryMethods, namedFileSchema } from '../files.ts';
import { imageMethods } from '../image.ts';
import { launchMethods } from '../launches.ts';
import { projectMethods } from '../projects/project.ts';
import { timelineNoteMethods } from '../projects/timeline-notes.ts';
import { recoveryMethods } from '../recovery.ts';
import { remoteMethods } from '../remote.ts';
import {
  depthDoseSchema,
  ledgerTableSchema,
  mapRequestSchema,
  momentsSchema,
  runIdSchema,
  runInfoSchema,
  runMapsSchema,
  runSummarySchema,
} from '../run.ts';
import { refiningMethods } from '../scenario/diffraction/refining.ts';
import { whatIfMethods } from '../scenario/transport/what-if.ts';
import { scenarioDraftSchema } from '../scenario/workload.ts';
import {
  libraryEntrySchema,
  materialSchema,
  parsedScenarioSchema,
  resolvedSchema,
  scenarioFileSchema,
} from '../scenarios.ts';
import { shellMethods } from '../shell.ts';
import { studyMethods } from '../study/calls.ts';
import { taskMethods } from '../task.ts';
import { timelineMethods } from '../timeline.ts';
import { userKernelMethods } from '../user-kernels.ts';
import { bytes } from './arrays.ts';

const emptyRequestSchema = z.strictObject({});
const runRequestSchema = z.strictObject({ run: runIdSchema });
/**
 * File that a draft belongs to. Files that the draft names, such as a stopping-power table, are relative to its folder.
 */
const draftFileSchema = fileRefSchema.nullable().default(null);
/** `refuse`: fail with `exists` if the file exists, so that the page can ask before replacing it. */
const ifExists = z.enum(['replace', 'refuse']);
const fileTextSchema = z.string().max(8 * 2 ** 20);

export const methods = {
  capabilities: { params: emptyRequestSchema, result: capabilitiesSchema },

  // Scenarios.
  'scenario.parse': {
    params: z.strictObject({ text: fileTextSchema, name: z.string().max(255) }),
    result: parsedScenarioSchema,
  },
  'scenario.open': { params: z.strictObject({ file: fileRefSchema }), result: scenarioFileSchema },
  /**
   * Returns the text that saving would write, with keys in schema order and without defaults. Used for downloads and
   * diffs.
   */
  'scenario.text': {
    params: z.strictObject({ scenario: scenarioDraftSchema }),
    result: z.strictObject({ text: z.string() }),
  },
  /** Used by Save and Save As. Save As passes a new file reference and `refuse`. */
  'scenario.save': {
    params: z.strictObject({
      scenario: scenarioDraftSchema,
      file: fileRefSchema,
      ifExists,
      /**
       * Stamp of the file when the page read it. If the file has changed since, the call fails with `exists`. Null
       * overwrites it.
       */
      stamp: z.string().max(64).nullable().default(null),
    }),
    result: z.strictObject({ ...namedFileSchema.shape, stamp: z.string() }),
  },
  /**
   * Validates a draft; if there is no error, also returns the resolved scenario. Fast enough to call after every edit.
   */
  'scenario.resolve': {
    params: z.strictObject({ scenario: scenarioDraftSchema, file: draftFileSchema }),
    result: z.strictObject({ issues: z.array(issueSchema), resolved: resolvedSchema.nullable() }),
  },
  ...ctPictureMethods,
  'scenario.library': { params: emptyRequestSchema, result: z.strictObject({ entries: z.array(libraryEntrySchema) }) },
  'scenario.recent': { params: emptyRequestSchema, result: z.strictObject({ files: z.array(namedFileSchema) }) },
  'scenario.clearRecent': { params: emptyRequestSchema, result: emptyRequestSchema },
  'materials.list': { params: emptyRequestSchema, result: z.strictObject({ materials: z.array(materialSchema) }) },

  // Runs.
  'run.start': {
    params: z.strictObject({
      scenario: scenarioDraftSchema,
      file: draftFileSchema,
      /** Name shown for a scenario that has none. */
      name: z.string().max(255),
      /** Document as saved, if the user has edited it. The name of the run then lists the edits. */
      saved: scenarioDraftSchema.nullable().default(null),
      /** Whether to record GPU work and driver calls, which makes every launch slower. CPU work is always recorded. */
      trace: z.boolean().default(false),
    }),
    result: runInfoSchema,
  },
  /** Stops a run after its current step and keeps the results so far. A queued run is removed from the queue. */
  'run.cancel': { params: runRequestSchema, result: runInfoSchema },
  'run.list': { params: emptyRequestSchema, result: z.strictObject({ runs: z.array(runInfoSchema) }) },
  /** Removes an ended run from the list. Its file remains. */
  'run.forget': { params: runRequestSchema, result: emptyRequestSchema },
  /** Returns the scenario that was saved with the run. */
  'run.scenario': { params: runRequestSchema, result: z.strictObject({ scenario: scenarioDraftSchema }) },
  'run.summary': { params: runRequestSchema, result: runSummarySchema },
  'run.depthDose': { params: runRequestSchema, result: depthDoseSchema },
  /**
   * Returns the dose as a function of x, in the cells nearest to each depth. The curve's quantity states the depth.
   */
  'run.lateral': {
    params: z.strictObject({ run: runIdSchema, depths_mm: z.array(z.number()).min(1).max(64) }),
    result: z.strictObject({ curves: z.array(curveSchema) }),
  },
  'run.moments': { params: runRequestSchema, result: momentsSchema },
  /** Returns maps of the final dose, or of the protons at the last keyframe. */
  'run.maps': {
    params: z.strictObject({ run: runIdSchema, maps: z.array(mapRequestSchema).min(1).max(16) }),
    result: runMapsSchema,
  },
  'run.keyframes': {
    params: runRequestSchema,
    result: z.strictObject({
      frames: z.array(z.strictObject({ step: z.number().int(), depth_mm: z.number() })),
      /** Pairs of axes whose maps were saved. Older files and GPU runs have four of the six pairs. */
      pairs: z.array(z.tuple([axisNameSchema, axisNameSchema])),
    }),
  },
  'run.keyframe': {
    params: z.strictObject({
      run: runIdSchema,
      index: z.number().int().nonnegative(),
      maps: z.array(mapRequestSchema).min(1).max(16),
    }),
    result: runMapsSchema,
  },
  /** Returns at most `rows` rows of the ledger, among them always the last step. */
  'run.ledger': {
    params: z.strictObject({ run: runIdSchema, rows: z.number().int().min(2).max(100_000) }),
    result: ledgerTableSchema,
  },

  // Run files.
  'run.save': {
    params: z.strictObject({ run: runIdSchema, file: fileRefSchema, ifExists }),
    result: namedFileSchema,
  },
  'run.open': {
    params: z.strictObject({
      source: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('file'), file: fileRefSchema }),
        z.strictObject({ kind: z.literal('bytes'), name: z.string().max(255), bytes }),
      ]),
    }),
    result: runInfoSchema,
  },
  /** Returns a file for download, or to be passed to `file.write`. */
  'run.export': {
    params: z.strictObject({
      run: runIdSchema,
      /** Export format, one of `exportsOf` for the run's workload. */
      what: z.string().max(32),
    }),
    result: z.strictObject({ name: z.string(), mime: z.string(), bytes }),
  },

  /** Opens a file dialog, if `capabilities.shell.dialogs` is true. Null if the user cancelled the dialog. */
  'file.choose': {
    params: z.strictObject({ purpose: filePurposeSchema, suggestedName: z.string().max(255) }),
    result: z.strictObject({ file: namedFileSchema.nullable() }),
  },
  'file.write': { params: z.strictObject({ file: fileRefSchema, bytes, ifExists }), result: namedFileSchema },

  ...benchMethods,
  ...claimTableMethods,
  ...decisionMethods,
  ...historyMethods,
  ...imageMethods,
  ...libraryMethods,
  ...userKernelMethods,
  ...recoveryMethods,
  ...comparisonMethods,
  ...doseMethods,
  ...sobpMethods,
  ...uncertaintyMethods,
  ...volumeMethods,
  ...commissionMethods,
  ...figureMethods,
  ...launchMethods,
  ...studyMethods,
  ...projectMethods,
  ...taskMethods,
  ...timelineMethods,
  ...timelineNoteMethods,
  ...whatIfMethods,
  ...refiningMethods,
  ...remoteMethods,
  ...shellMethods,
} as const;

export type Methods = typeof methods;
export type MethodName = keyof Methods;
/** Parameters as the caller passes them, before defaults are filled in. */
export type Params<M extends MethodName> = Readonly<z.input<Methods[M]['params']>>;
export type Result<M extends MethodName> = Readonly<z.output<Methods[M]['result']>>;

export function isMethod(name: string): name is MethodName {
  return Object.hasOwn(methods, name);
}
