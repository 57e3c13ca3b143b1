/**
 * Reads the metadata of library files, once per change of a file.
 *
 * Also stores the tags and remarks of the user in one small file in the library folder. They move with the files and
 * survive a rebuild of the index.
 */
import path from 'node:path';
import { z } from 'zod';
import { BraggError } from '../../../contract/errors.ts';
import type { LibraryFacts, LibraryKind } from '../../../contract/files.ts';
import { isScenarioKind } from '../../../contract/scenario/index.ts';
import { allRunEndings } from '../../../contract/workload.ts';
import { formatBytes } from '../../../domain/values/units.ts';
import type { LibraryFile } from '../../io/files/library.ts';
import { type Locks, PROGRAM_FOLDER } from '../../io/files/locks.ts';
import { readRegularFile, toFileError } from '../../io/files/plain-file.ts';
import { StateFile } from '../../io/files/state-file.ts';
import { parseJson } from '../../io/text/json.ts';
import { readText } from '../../io/text/read.ts';
import { plainValue } from '../../io/text/source.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import type { RunFacts } from '../../workloads/run-files/run-file.ts';
import type { Scenarios } from '../../workloads/scenarios/scenarios.ts';
import { SESSION_ENDING } from '../benches/stored.ts';
import { readSessionFile } from '../sessions/index.ts';

export interface FileFacts {
  /** Set only if the content shows another kind than the file name does. */
  readonly kind?: 'kernel';
  readonly name: string;
  readonly notes: string;
  readonly facts: LibraryFacts;
  readonly problem: string | null;
}

export interface FactReaders {
  readonly scenarios: Pick<Scenarios, 'parse'>;
  readonly runFacts: (bytes: Uint8Array, name: string) => Promise<RunFacts>;
}

export const noFacts: LibraryFacts = {
  workload: null,
  about: null,
  variant: null,
  precision: null,
  result: null,
  wall_s: null,
  status: null,
  device: null,
};

/** Maximum size in bytes of a file that is read for its metadata. It exceeds the size of any run. */
const MAX_BYTES = 2 ** 30;

/** Returns the kind by the file name alone. Descriptions of kernels are recognized by their content. */
export function kindOf(key: string): Exclude<LibraryKind, 'kernel'> {
  if (key.endsWith(SESSION_ENDING)) return 'session';
  return allRunEndings.some((ending) => key.toLowerCase().endsWith(ending)) ? 'run' : 'scenario';
}

/** Parses JSON without checks. Null if the text is not JSON; reading it as a scenario then reports the reason. */
function parseJsonOrNull(text: string): unknown {
  const { root } = parseJson(text);
  return root === null ? null : plainValue(root);
}

/** Value at a path in an unvalidated document. */
function valueAtKeys(document: unknown, ...keys: readonly string[]): unknown {
  let value = document;
  for (const key of keys) value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return value;
}
const textAt = (document: unknown, ...keys: readonly string[]): string | null => {
  const value = valueAtKeys(document, ...keys);
  return typeof value === 'string' ? value : null;
};

function scenarioFacts(document: unknown): Pick<FileFacts, 'name' | 'notes' | 'facts'> {
  const kind = valueAtKeys(document, 'kind');
  const about = isScenarioKind(kind) ? hostWorkloads[kind].label(document) : '';
  return {
    name: textAt(document, 'name') ?? '',
    notes: textAt(document, 'notes') ?? '',
    facts: {
      ...noFacts,
      workload: isScenarioKind(kind) ? kind : null,
      about: about === '' ? null : about,
      variant: textAt(document, 'solver', 'variant'),
      precision: textAt(document, 'solver', 'precision'),
    },
  };
}

/** Reads the metadata from the description of a user kernel, which is a JSON file next to its code. */
function kernelFacts(document: unknown): FileFacts {
  const text = (key: string): string => textAt(document, key) ?? '';
  const bench = text('bench');
  const workload = [text('workload'), bench].filter(Boolean).join(' ');
  const facts = {
    ...noFacts,
    workload: text('workload') || null,
    about: workload || null,
    variant: text('base') || null,
  };
  return { kind: 'kernel', name: text('title'), notes: text('changes'), facts, problem: null };
}

async function readScenario(file: LibraryFile, { scenarios }: FactReaders): Promise<FileFacts> {
  const read = await readText(file.path);
  if (!read.ok) throw new BraggError('foreign-file', read.reason);
  const { text } = read;
  const plain = file.key.endsWith('.json') ? parseJsonOrNull(text) : null;
  if (valueAtKeys(plain, 'kind') === 'variant') return kernelFacts(plain);
  const { draft, issues } = await scenarios.parse(text, { name: file.key, folder: path.dirname(file.path) });
  const errors = issues.filter(({ severity }) => severity === 'error');
  const first = errors[0];
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const where = first?.path ? `${first.path}: ` : '';
  return { ...scenarioFacts(draft), problem: first === undefined ? null : `${where}${first.message}${more}` };
}

async function readRunFile(file: LibraryFile, { runFacts }: FactReaders): Promise<FileFacts> {
  const { scenario, name, ...facts } = await runFacts(await readRegularFile(file.path, file.key), file.key);
  const written = scenarioFacts(scenario);
  return { name, notes: written.notes, facts: { ...written.facts, ...facts }, problem: null };
}

async function readSession(file: LibraryFile): Promise<FileFacts> {
  const { workload, reports } = (await readSessionFile(file.path, file.key)).outline;
  const variant = [...new Set(reports.flatMap(({ entries }) => entries.map(({ label }) => label)))].join(', ');
  return { name: '', notes: '', facts: { ...noFacts, workload, variant }, problem: null };
}

/** Reads the metadata of a file. Never throws: a file that cannot be read is listed with the reason. */
export async function readFacts(file: LibraryFile, readers: FactReaders): Promise<FileFacts> {
  try {
    if (file.bytes > MAX_BYTES) throw new Error(`it has ${formatBytes(file.bytes)}, which is too large for a run`);
    switch (kindOf(file.key)) {
      case 'scenario':
        return await readScenario(file, readers);
      case 'run':
        return await readRunFile(file, readers);
      case 'session':
        return await readSession(file);
    }
  } catch (error) {
    return { name: '', notes: '', facts: noFacts, problem: toFileError(error, file.key).message };
  }
}

const labelSchema = z.object({ tags: z.array(z.string()), remark: z.string() });
export type Label = Readonly<z.infer<typeof labelSchema>>;

const fileSchema = z.object({ version: z.literal(1), labels: z.record(z.string(), labelSchema) });

export type Labels = Readonly<Record<string, Label>>;

export function labelsFile(libraryFolder: string): string {
  return path.join(libraryFolder, PROGRAM_FOLDER, 'labels.json');
}

/**
 * Stores the labels of a library. A damaged file contains the user's input, so it is renamed and reported, never
 * overwritten.
 */
export class LabelsFile {
  readonly #file: StateFile<z.infer<typeof fileSchema>>;

  constructor(libraryFolder: string, locks: Locks, onTrouble: (reason: string) => void) {
    this.#file = new StateFile({
      file: labelsFile(libraryFolder),
      schema: fileSchema,
      empty: { version: 1, labels: {} },
      locks,
      onDamaged: (aside) =>
        onTrouble(`The tags and notes of the library could not be read. Their file was moved to ${aside}.`),
    });
  }

  /** Reads the labels, by path relative to the library's folder. Throws BraggError. */
  async read(): Promise<Labels> {
    return (await this.#file.read()).labels;
  }

  /**
   * Changes labels; null removes a label. The caller must hold the library's lock. Throws BraggError if the file cannot
   * be written.
   */
  async changeLocked(change: (labels: Labels) => Readonly<Record<string, Label | null>>): Promise<void> {
    await this.#file.changeLocked(({ version, labels }) => {
      const kept = Object.entries({ ...labels, ...change(labels) }).filter(
        (entry): entry is [string, Label] => entry[1] !== null && (entry[1].tags.length > 0 || entry[1].remark !== ''),
      );
      return { version, labels: Object.fromEntries(kept) };
    });
  }
}
