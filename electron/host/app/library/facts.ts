/** Metadata of a library file, read once per change of the file. */
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import { allRunEndings } from '../../../contract/exports.ts';
import type { LibraryFacts, LibraryKind } from '../../../contract/library.ts';
import { isScenarioKind } from '../../../contract/scenario/index.ts';
import { fileError } from '../../io/files/errors.ts';
import type { LibraryFile } from '../../io/files/library.ts';
import { readPlain } from '../../io/files/plain-file.ts';
import { parseJson } from '../../io/text/json.ts';
import { readText } from '../../io/text/read.ts';
import { plainValue } from '../../io/text/source.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import type { RunFacts } from '../../workloads/run-files/run-file.ts';
import type { Scenarios } from '../../workloads/scenarios/index.ts';
import { SESSION_ENDING } from '../benches/stored.ts';
import { readSessionFile } from '../sessions/aside.ts';

export interface FileFacts {
  /** The kind by content, if the name says another. */
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

/** Larger than any run; reading it whole only to list it would stall the machine. */
const MOST_BYTES = 2 ** 30;

/** By the name alone; a kernel's description is known by its content. */
export function kindOf(key: string): Exclude<LibraryKind, 'kernel'> {
  if (key.endsWith(SESSION_ENDING)) return 'session';
  return allRunEndings.some((ending) => key.toLowerCase().endsWith(ending)) ? 'run' : 'scenario';
}

/** Null if the text is not JSON; reading it as a scenario reports the reason. */
function plainOf(text: string): unknown {
  const { root } = parseJson(text);
  return root === null ? null : plainValue(root);
}

/** A value of a document that may hold anything. */
function at(document: unknown, ...keys: readonly string[]): unknown {
  let value = document;
  for (const key of keys) value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return value;
}
const textAt = (document: unknown, ...keys: readonly string[]): string | null => {
  const value = at(document, ...keys);
  return typeof value === 'string' ? value : null;
};

function ofScenario(document: unknown): Pick<FileFacts, 'name' | 'notes' | 'facts'> {
  const kind = at(document, 'kind');
  const about = isScenarioKind(kind) ? hostWorkloads[kind].about(document) : '';
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

/** The description of a user kernel, which is JSON next to its code. */
function ofKernel(document: unknown): FileFacts {
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
  const plain = file.key.endsWith('.json') ? plainOf(text) : null;
  if (at(plain, 'kind') === 'variant') return ofKernel(plain);
  const { draft, issues } = await scenarios.parse(text, { name: file.key, folder: path.dirname(file.path) });
  const errors = issues.filter(({ severity }) => severity === 'error');
  const first = errors[0];
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const where = first?.path ? `${first.path}: ` : '';
  return { ...ofScenario(draft), problem: first === undefined ? null : `${where}${first.message}${more}` };
}

async function readRunFile(file: LibraryFile, { runFacts }: FactReaders): Promise<FileFacts> {
  const { scenario, name, ...facts } = await runFacts(await readPlain(file.path, file.key), file.key);
  const written = ofScenario(scenario);
  return { name, notes: written.notes, facts: { ...written.facts, ...facts }, problem: null };
}

async function readSession(file: LibraryFile): Promise<FileFacts> {
  const { workload, reports } = (await readSessionFile(file.path, file.key)).outline;
  const variant = [...new Set(reports.flatMap(({ entries }) => entries.map(({ label }) => label)))].join(', ');
  return { name: '', notes: '', facts: { ...noFacts, workload, variant }, problem: null };
}

/** Never throws: a file that cannot be read is listed with the reason. */
export async function readFacts(file: LibraryFile, readers: FactReaders): Promise<FileFacts> {
  try {
    if (file.bytes > MOST_BYTES) throw new Error(`it has ${Math.round(file.bytes / 1e6)} MB, which no run has`);
    switch (kindOf(file.key)) {
      case 'scenario':
        return await readScenario(file, readers);
      case 'run':
        return await readRunFile(file, readers);
      case 'session':
        return await readSession(file);
    }
  } catch (error) {
    return { name: '', notes: '', facts: noFacts, problem: fileError(error, file.key).message };
  }
}
