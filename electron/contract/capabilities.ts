/** Capabilities of this build on this machine, with a reason for everything unavailable. */
import { z } from 'zod';
import { deviceReportSchema } from './devices.ts';
import { fileRefSchema } from './files.ts';

const cpuSchema = z.strictObject({
  name: z.string(),
  logicalCores: z.number().int().positive(),
  /** Instruction set that the engine chose, such as `avx2`. */
  isa: z.string(),
  memory_bytes: z.number().nonnegative(),
  os: z.string(),
});

const variantSchema = z.strictObject({
  /** Its own among those of one benchmark. */
  id: z.string(),
  workload: z.string(),
  /** Which benchmark of a workload that has several; empty otherwise. */
  bench: z.string(),
  title: z.string(),
  /** Changes from the variant it builds on. */
  changes: z.string(),
  buildsOn: z.string().nullable(),
  device: z.enum(['cpu', 'cuda']),
  precisions: z.array(z.string()),
  /** Whether this machine can run it. */
  available: z.boolean(),
  /** Why not, as one sentence; null when available. */
  reason: z.string().nullable(),
  /** Path of its source in the repository. */
  source: z.string(),
});
export type Variant = Readonly<z.infer<typeof variantSchema>>;

/** Identity of a variant. */
export const variantKeySchema = z.strictObject({
  workload: z.string().max(64),
  bench: z.string().max(64),
  id: z.string().max(64),
});
export type VariantKey = Readonly<z.infer<typeof variantKeySchema>>;

/** Whether both name the same variant. */
export function sameVariant(a: VariantKey, b: VariantKey): boolean {
  return a.id === b.id && a.workload === b.workload && a.bench === b.bench;
}

/** Features of the program that hosts the page. The page checks these, never which shell hosts it. */
const shellSchema = z.strictObject({
  kind: z.enum(['desktop', 'browser', 'none']),
  /** Native file dialogs: `file.choose` works. */
  dialogs: z.boolean(),
  /** Window title and close are the shell's: the page reports unsaved changes with `shell.document`. */
  window: z.boolean(),
  /** Menus are native, fed from the command table with `shell.menu`. */
  menus: z.boolean(),
  /** Folder that `library` file references are in, as shown to the user. */
  libraryFolder: z.string(),
  /** The host as the user named it for ssh, where this one serves pages of another machine; null for pages of its own. */
  remote: z.string().max(200).nullable(),
});
export type Shell = Readonly<z.infer<typeof shellSchema>>;

export const capabilitiesSchema = z.strictObject({
  version: z.string(),
  build: z.string(),
  compiler: z.string(),
  cpu: cpuSchema,
  devices: deviceReportSchema,
  variants: z.array(variantSchema),
  shell: shellSchema,
  /** Upper bound on the state of one run, bytes. */
  memoryLimit_bytes: z.number().positive(),
  /** Scenario to open first (a file reference from the command line or a double click), or null. */
  openFirst: fileRefSchema.nullable(),
  /** Run that scenario at once (`--run`). */
  runFirst: z.boolean(),
});
export type Capabilities = Readonly<z.infer<typeof capabilitiesSchema>>;

/** Build state of the solver: on a first start, pages are served while it is being compiled. */
export const solverStateSchema = z.strictObject({
  /** `first`: transport on the CPU; `whole`: every workload and the GPU. */
  stage: z.enum(['none', 'first', 'whole']),
  /** Such as `34 of 66 files`; null before the compiler starts and once the solver is whole. */
  progress: z.string().nullable(),
  /** Why the rest cannot be compiled, or null. */
  failed: z.string().nullable(),
});
export type SolverState = Readonly<z.infer<typeof solverStateSchema>>;
export type SolverStage = SolverState['stage'];

export const solverFrameSchema = z.strictObject({
  ...solverStateSchema.shape,
  /** Whether the GPU's kernels are being compiled on a machine without nvcc; `auto` takes the CPU meanwhile. */
  gpuKernels: z.boolean(),
});
export type SolverFrame = Readonly<z.infer<typeof solverFrameSchema>>;
