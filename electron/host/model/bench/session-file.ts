/**
 * Reads and writes saved sessions. A saved session opens with the same report on any machine, even without a GPU. It
 * also stores the compiler's report on CUDA kernels, and the commit of the program that measured it.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { SampleColumns, Session, SessionEntry, TimedSample } from '../../../contract/bench/session.ts';
import type { DeviceReport } from '../../../contract/capabilities.ts';
import { BraggError } from '../../../contract/errors.ts';
import { type KernelResources, type KernelSet, kernelResourcesSchema } from '../../../contract/launches.ts';
import { defaultKind } from '../../../contract/scenario/index.ts';
import { defaultGpu } from '../../io/addon/gpu.ts';
import { readUserFile } from '../../io/files/plain-file.ts';
import { rephraseSchemaError } from '../../io/text/json.ts';
import { readCommit } from './commit.ts';
import { readBenchEnvironment } from './comparison.ts';
import { kernelFolders } from './machine.ts';
import type { SessionOptions } from './session.ts';

/** Column of values in a file: a single value if all samples have the same, otherwise a list. */
const singleOrList = <T extends number | string | null>(values: readonly T[]): T | T[] => {
  const [first] = values;
  return first !== undefined && values.every((value) => value === first) ? first : [...values];
};

const SAMPLE_COLUMNS = [
  'instance',
  'position',
  'repetitions',
  'time_s',
  'device_s',
  'host_s',
  'setup_s',
  'wall_s',
] as const;

function sampleColumns(samples: readonly TimedSample[]): SampleColumns {
  const derived = samples.every(({ time_s, device_s, host_s }) => time_s === (device_s ?? host_s));
  const names = SAMPLE_COLUMNS.filter(
    (name) => !(name === 'time_s' && derived) && samples.some((sample) => sample[name] !== undefined),
  );
  const quantities = new Set(samples.flatMap(({ told }) => Object.keys(told ?? {})));
  const columnsById = [...quantities].map((id) => [id, samples.map((sample) => sample.told?.[id] ?? null)]);
  return {
    round: samples.map(({ round }) => round),
    ...Object.fromEntries(names.map((name) => [name, singleOrList(samples.map((sample) => sample[name] ?? null))])),
    ...(columnsById.length === 0 ? {} : { told: Object.fromEntries(columnsById) }),
    sm_MHz: samples.length === 0 ? null : singleOrList(samples.map(({ sm_MHz }) => sm_MHz)),
    flag: samples.length === 0 ? null : singleOrList(samples.map(({ flag }) => flag)),
  };
}

function entryForFile(entry: SessionEntry): object {
  if (entry.status === 'refused') return entry;
  const { modes, process, samples } = entry;
  return {
    ...entry,
    modes: modes.map((mode) => (mode.samples === undefined ? mode : { ...mode, samples: sampleColumns(mode.samples) })),
    ...(process === undefined ? {} : { process: { ...process, samples: sampleColumns(process.samples) } }),
    samples: sampleColumns(samples),
  };
}

/**
 * Content of a session's file. Samples are stored as columns. Verdicts on claims and factorial effects are left out,
 * because readers compute them from the samples.
 */
export function sessionFileContent(session: Session): object {
  const reports = session.reports.map(({ claims: _, factorials: __, ...report }) => ({
    ...report,
    entries: report.entries.map(entryForFile),
    ...(report.control === undefined ? {} : { control: sampleColumns(report.control) }),
    ...(report.process_control === undefined ? {} : { process_control: sampleColumns(report.process_control) }),
  }));
  return { ...session, reports };
}

/** Text of a session's file. JSON cannot represent NaN and infinities, so the schemas reject them. */
export function sessionText(session: Session): string {
  return `${JSON.stringify(sessionFileContent(session))}\n`;
}

/** Reads the text of a saved session. Throws the errors of `readUserFile`. */
export const readSessionFileText = async (path: string): Promise<string> =>
  (await readUserFile(path, 'a session')).toString('utf8');

const isKnownFormat = (format: unknown, formats: readonly string[]): boolean => formats.some((one) => one === format);

/**
 * Parses JSON whose `format` is one of `formats`, and validates it with the schema. `path` is used in messages. Throws
 * BraggError 'foreign-file'.
 */
export function parseSessionFile<T>(text: string, path: string, formats: readonly string[], schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BraggError('foreign-file', `${path} is not JSON: it is damaged or from another program.`);
  }
  if (value === null || typeof value !== 'object' || !('format' in value) || !isKnownFormat(value.format, formats)) {
    throw new BraggError('foreign-file', `${path} is not a Braggbench benchmark.`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined ? '' : `: ${issue.path.join('.')}: ${rephraseSchemaError(issue.message)}`;
  throw new BraggError('foreign-file', `${path} cannot be read as a benchmark${where}.`);
}

const fileSchema = z.strictObject({ workload: z.string(), ...kernelResourcesSchema.shape });

/**
 * Registers, memory and spills of a workload's kernels, for every architecture; null if the kernels were not compiled.
 */
export async function readKernelResources(images: string, workload: string): Promise<KernelResources | null> {
  const text = await readFile(path.join(images, `${workload}.resources.json`), 'utf8').catch(() => null);
  if (text === null) return null;
  const { compiler, kernels } = fileSchema.parse(JSON.parse(text));
  return { compiler, kernels };
}

/** Resources of the kernels for a GPU with this compute capability, such as `9.0`; null if there are none. */
export function resourcesForGpu(all: KernelResources | null, computeCapability: string): KernelResources | null {
  const architecture = `sm_${computeCapability.replace('.', '')}`;
  const kernels = all?.kernels.filter((kernel) => kernel.architecture.replace(/[a-z]$/, '') === architecture) ?? [];
  return all === null || kernels.length === 0 ? null : { compiler: all.compiler, kernels };
}

const RESOURCES_ENDING = '.resources.json';

/** Resources of the kernels of each workload in the folder `images`. */
export async function readAllKernelResources(images: string): Promise<KernelSet[]> {
  const names = (await readdir(images).catch(() => [])).filter((name) => name.endsWith(RESOURCES_ENDING)).sort();
  const sets = await Promise.all(
    names.map(async (name): Promise<KernelSet[]> => {
      const workload = name.slice(0, -RESOURCES_ENDING.length);
      const found = await readKernelResources(images, workload);
      return found === null ? [] : [{ workload, ...found, session: null }];
    }),
  );
  return sets.flat();
}

/**
 * Facts that a session records, each if known: the commit, the environment, and the kernels' resources on the default
 * GPU.
 */
export async function collectRecordedFacts(
  assetsFolder: string,
  devices: DeviceReport,
  workload: string = defaultKind,
): Promise<NonNullable<SessionOptions['recorded']>> {
  const root = path.dirname(assetsFolder);
  const [commit, surroundings] = await Promise.all([readCommit(root), readBenchEnvironment(root, devices)]);
  const gpu = defaultGpu(devices);
  const all = gpu === null ? null : await readKernelResources(kernelFolders().images, workload);
  const resources = gpu === null ? null : resourcesForGpu(all, gpu.computeCapability);
  return {
    surroundings,
    ...(commit === null ? {} : { commit }),
    ...(resources === null ? {} : { resources }),
  };
}
