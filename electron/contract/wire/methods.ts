/** Calls of the contract: name → schemas of params and result. */
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
  readScenarioSchema,
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
/** File that a draft belongs to; a stopping-power table named in the draft is searched for next to it. */
const draftFileSchema = fileRefSchema.nullable().default(null);
/** With `refuse`, an existing file causes `exists`, so that the page can prompt before replacing. */
const ifExists = z.enum(['replace', 'refuse']);
const fileText = z.string().max(8 * 2 ** 20);

export const methods = {
  capabilities: { params: emptyRequestSchema, result: capabilitiesSchema },

  // Scenarios.
  'scenario.parse': {
    params: z.strictObject({ text: fileText, name: z.string().max(255) }),
    result: readScenarioSchema,
  },
  'scenario.open': { params: z.strictObject({ file: fileRefSchema }), result: scenarioFileSchema },
  /** Text of the file that saving would write: stable key order, without defaults. For download and diff. */
  'scenario.text': {
    params: z.strictObject({ scenario: scenarioDraftSchema }),
    result: z.strictObject({ text: z.string() }),
  },
  /** Save and Save As; the latter uses a new reference and `refuse`. */
  'scenario.save': {
    params: z.strictObject({
      scenario: scenarioDraftSchema,
      file: fileRefSchema,
      ifExists,
      /** Stamp of the file when it was read; a file changed since causes `exists`. Null replaces in any case. */
      stamp: z.string().max(64).nullable().default(null),
    }),
    result: z.strictObject({ ...namedFileSchema.shape, stamp: z.string() }),
  },
  /** Returns issues and, if none is an error, the resolved scenario. Fast enough to call on every edit. */
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
      /** Name to show if the scenario has none. */
      name: z.string().max(255),
      /** Document without the user's edits, so that the run's name can list them; null if there are none. */
      saved: scenarioDraftSchema.nullable().default(null),
      /** Whether to record GPU work and driver calls, which slows every launch. CPU work is always recorded. */
      trace: z.boolean().default(false),
    }),
    result: runInfoSchema,
  },
  /** Stops the run within one step and retains what was computed; a queued run leaves the queue. */
  'run.cancel': { params: runRequestSchema, result: runInfoSchema },
  'run.list': { params: emptyRequestSchema, result: z.strictObject({ runs: z.array(runInfoSchema) }) },
  /** Removes an ended run from the list; its file remains. */
  'run.forget': { params: runRequestSchema, result: emptyRequestSchema },
  /** Scenario of the run, as saved with it. */
  'run.scenario': { params: runRequestSchema, result: z.strictObject({ scenario: scenarioDraftSchema }) },
  'run.summary': { params: runRequestSchema, result: runSummarySchema },
  'run.depthDose': { params: runRequestSchema, result: depthDoseSchema },
  /** Dose across x in the cells nearest to the depths; the quantity of each curve contains its depth. */
  'run.lateral': {
    params: z.strictObject({ run: runIdSchema, depths_mm: z.array(z.number()).min(1).max(64) }),
    result: z.strictObject({ curves: z.array(curveSchema) }),
  },
  'run.moments': { params: runRequestSchema, result: momentsSchema },
  /** Final dose, or the protons' maps at the last keyframe. */
  'run.maps': {
    params: z.strictObject({ run: runIdSchema, maps: z.array(mapRequestSchema).min(1).max(16) }),
    result: runMapsSchema,
  },
  'run.keyframes': {
    params: runRequestSchema,
    result: z.strictObject({
      frames: z.array(z.strictObject({ step: z.number().int(), depth_mm: z.number() })),
      /** Axis pairs with saved sums; older files and GPU runs have four of the six pairs. */
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
  /** Returns at most `rows` rows, always including the last step. */
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
  /** File to offer for download, or to pass to `file.write`. */
  'run.export': {
    params: z.strictObject({
      run: runIdSchema,
      /** Export format, from `exportsOf` for the run's workload. */
      what: z.string().max(32),
    }),
    result: z.strictObject({ name: z.string(), mime: z.string(), bytes }),
  },

  // Files chosen by the user.
  /** Only available if `capabilities.shell.dialogs`; null if the user dismissed the dialog. */
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
/** Params as passed by a caller, before defaults. */
export type Params<M extends MethodName> = Readonly<z.input<Methods[M]['params']>>;
export type Result<M extends MethodName> = Readonly<z.output<Methods[M]['result']>>;

export function isMethod(name: string): name is MethodName {
  return Object.hasOwn(methods, name);
}
