/**
 * Reads, checks, completes and writes scenarios of every kind. Errors from the engine become issues with file, line,
 * path, value and allowed values.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { BraggError, type Issue } from '../../../contract/errors.ts';
import {
  type FieldIssue,
  fieldIssue,
  formatIssue,
  formatPath,
  formatScenario,
  formatValue,
  type Path,
  parsePath,
  type ScenarioWithStaticDefaults,
  suggestSimilarWord,
  type ValidationResult,
  validateScenario,
} from '../../../contract/scenario/index.ts';
import type { WorkloadName } from '../../../contract/workload.ts';
import { errorFromNative, type TransportProblem, type VariantOptions } from '../../io/addon/addon.ts';
import { changeStamp } from '../../io/files/folders.ts';
import { writeAtomically } from '../../io/files/write-file.ts';
import { readText } from '../../io/text/read.ts';
import { defineThreadTask } from '../../io/threads/task.ts';
import { loadHuTable, type ShippedHuTable } from '../../model/matter/hu-table.ts';
import { applyOverrides, isFromOverride, type Override } from '../../model/scenarios/overrides.ts';
import { parseTextOnThread, toIssue } from '../../model/scenarios/parse.ts';
import {
  loadMaterials,
  loadNuclearTables,
  type Materials,
  type NuclearTable,
  type RangeTable,
} from '../../model/scenarios/stopping-table.ts';
import type { DiffractionReading } from '../diffraction/scenario/index.ts';
import type { TaskReading } from '../task/scenario/index.ts';
import type { TransportReading } from '../transport/scenario/problem.ts';
import type { ScenarioText, UnknownKindReading } from './read.ts';

export type ScenarioReading = (TransportReading | DiffractionReading | TaskReading | UnknownKindReading) & {
  /** Time in seconds for reading and checking. */
  readonly read_s?: number;
};

/** Engine error about a value, for example `solver.variant = fused: needs about 9.31 GiB`. */
const ENGINE_MESSAGE = /^([a-z][\w.]*) = (\S+): (.*)$/s;

function engineMessageIssue(message: string): FieldIssue {
  const [, path = '', value = '', said = ''] = ENGINE_MESSAGE.exec(message) ?? [];
  const steps = parsePath(path);
  if (steps === null) return { severity: 'error', path: [], atKey: false, message, value: null, allowed: null };
  const shown = formatValue(value);
  const sentence = /^[a-z]/.test(said) ? `${shown} ${said}` : `${shown}: ${said}`;
  const allowed = said.startsWith('does not offer') ? 'auto, which chooses a variant that does' : null;
  const whole = allowed === null ? sentence : `${sentence}; allowed: ${allowed}`;
  return { severity: 'error', path: steps, atKey: false, message: whole, value: shown, allowed };
}

/** Converts an error of the addon to an issue at the affected position in the text. */
export function engineIssue(reading: Pick<ScenarioReading, 'locate'>, error: unknown): Issue {
  return reading.locate(engineMessageIssue(errorFromNative(error).message));
}

/** Converts an error of the engine to a BraggError with an issue. Returns other errors unchanged. */
export function engineErrorWithIssue(reading: Pick<ScenarioReading, 'locate'>, error: unknown): BraggError {
  const thrown = errorFromNative(error);
  if (thrown.code === 'internal') return thrown;
  const issue = engineIssue(reading, thrown);
  return new BraggError(thrown.code, formatIssue(issue), [issue], { cause: thrown });
}

export interface ScenarioOrigin {
  /** File name for messages. */
  readonly name: string;
  /** Folder that relative paths in the scenario refer to. Null if it has not been saved. */
  readonly folder: string | null;
}

/** Data of the engine and the program that are needed to check scenarios. */
interface ScenarioResources {
  /** Returns the variants that `solver.variant` may name in a scenario of the workload. */
  readonly variants: (workload: WorkloadName) => readonly { readonly id: string; readonly bench: string }[];
  /** Range table computed by the addon. */
  readonly rangeTable: RangeTable;
  /**
   * Returns the additional range straggling from the energy grid, as a standard deviation in mm of water. Null if the
   * engine rejects the problem.
   */
  readonly extraStraggling: (problem: TransportProblem) => Promise<number | null>;
  /** Returns the settings that a transport variant offers. Null if no variant has this name. */
  readonly offers: (variant: string) => VariantOptions | null;
  /** Maximum size of the state of one run in bytes. */
  readonly memoryLimit_bytes: number;
  readonly materials: Materials;
  readonly nuclearTables: readonly NuclearTable[];
  /** Table of Hounsfield units that is shipped with the program. */
  readonly huTable: ShippedHuTable;
}

/** Issues of a scenario, and the function that builds its reading. */
interface LocatedScenario {
  readonly faults: readonly FieldIssue[];
  /** Errors in files that the scenario names. */
  readonly issues: readonly Issue[];
  /** Computes warnings about a scenario without errors, before it is run. */
  readonly warnings: () => Promise<readonly FieldIssue[]>;
  readonly reading: (read: ScenarioText & { readonly document: unknown; readonly valid: boolean }) => ScenarioReading;
}

export interface ScenarioFunctions {
  /** Returns the names of files that the scenario refers to, relative to its folder. */
  readonly files: (filled: ScenarioWithStaticDefaults) => readonly string[];
  /**
   * Completes and checks a document that satisfies the schema. `leftOut`: paths of values that the schema rejected.
   */
  readonly completeAndCheck: (
    filled: ScenarioWithStaticDefaults,
    document: unknown,
    leftOut: readonly Path[],
    place: ScenarioOrigin,
    known: ScenarioResources,
  ) => Promise<LocatedScenario>;
}

/** Returns the scenario if its kind is one of `kinds`. Throws otherwise, which is a programming error. */
export function narrowToKinds<K extends ScenarioWithStaticDefaults['kind']>(
  kinds: readonly K[],
  filled: ScenarioWithStaticDefaults,
): Extract<ScenarioWithStaticDefaults, { kind: K }> {
  if (!(kinds as readonly string[]).includes(filled.kind))
    throw new Error(`a scenario of kind ${filled.kind} was passed to ${kinds.join()}`);
  return filled as Extract<ScenarioWithStaticDefaults, { kind: K }>;
}

const ending = /\.(json|ya?ml)$/;

/** Returns the scenario files in a folder by name without extension. */
async function scenarioFilesIn(folder: string, recursive: boolean): Promise<ReadonlyMap<string, string>> {
  const found = await readdir(folder, { recursive }).catch(() => []);
  return new Map(
    found.filter((name) => ending.test(name)).map((name) => [path.basename(name).replace(ending, ''), name]),
  );
}

/**
 * Finds the most similar file name in the same folder. If a name without a folder was given, also considers shipped
 * scenarios.
 */
async function similarFile(file: string, assetsFolder: string): Promise<string | null> {
  const word = path.basename(file).replace(ending, '');
  const beside = await scenarioFilesIn(path.dirname(file), false);
  const near = suggestSimilarWord(word, [...beside.keys()]);
  if (near !== null) return path.join(path.dirname(file), beside.get(near) ?? near);
  if (path.basename(file) !== file) return null;
  return suggestSimilarWord(word, [...(await scenarioFilesIn(path.join(assetsFolder, 'scenarios'), true)).keys()]);
}

/** Names of the data that are shipped with the program. */
type ProgramDataName = 'materials' | 'nuclearTables' | 'huTable';

interface ScenarioServices extends Omit<ScenarioResources, ProgramDataName> {
  /** Folder that contains `materials/`, `nuclear/` and `scenarios/`. */
  readonly assetsFolder: string;
  /** The workloads, each with the reader of its scenarios. */
  readonly workloads: Readonly<Record<WorkloadName, { readonly scenario: ScenarioFunctions }>>;
  /** Registers `variant` if it is a user kernel in `folder`. Throws a BraggError. */
  readonly discover?: (folder: string | null, variant: string, scenario: ScenarioWithStaticDefaults) => Promise<void>;
  /** Explains why a user kernel of another workload cannot run the scenario. Null for other variants. */
  readonly mismatch?: (
    variant: string,
    scenario: ScenarioWithStaticDefaults,
  ) => { readonly says: string; readonly allowed: string } | null;
}

export type ReadOptions = { readonly overrides?: readonly Override[] };

/** Number of cached readings: scenarios in use at the same time, in several windows or in a sweep. */
const CACHED_READINGS = 16;

/** Name of the overrides in messages. */
const overrideSource = '--set';

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function compareByPosition(a: Issue, b: Issue): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}

function hasErrors(issues: readonly Issue[]): boolean {
  return issues.some(({ severity }) => severity === 'error');
}

/** Summarises issues in one sentence: the first issue, and the number of others. */
function summarizeIssues(issues: readonly Issue[]): string {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const first = errors[0] === undefined ? 'the scenario is not valid' : formatIssue(errors[0]);
  return errors.length > 1 ? `${first} (and ${errors.length - 1} more)` : first;
}

/** Returns the engine's problem. Throws BraggError `invalid` with all issues if the reading has errors. */
export function problemOf<P>(reading: { readonly problem: (() => P) | null; readonly issues: readonly Issue[] }): P {
  if (reading.problem === null) throw invalidScenarioError(reading.issues);
  return reading.problem();
}

/** Builds the error for a scenario that cannot be used, with all issues. */
export function invalidScenarioError(issues: readonly Issue[]): BraggError {
  return new BraggError('invalid', summarizeIssues(issues), issues);
}

/**
 * Maximum number of values in a document that is validated on this thread. It suffices for a hundred regions, and
 * validation needs only milliseconds.
 */
const FEW_VALUES = 1000;

function hasMoreValues(value: unknown, most: number): boolean {
  let left = most;
  const exceeds = (each: unknown): boolean => {
    left -= 1;
    if (left < 0) return true;
    return typeof each === 'object' && each !== null && Object.values(each).some(exceeds);
  };
  return exceeds(value);
}

const validateOnThread = defineThreadTask('check a scenario', validateScenario);

/** Validates a document against the schema. If it has many values, this runs on a worker thread. */
async function validateDocument(value: unknown): Promise<ValidationResult> {
  return hasMoreValues(value, FEW_VALUES) ? validateOnThread(value) : validateScenario(value);
}

async function withReadTime(read: () => Promise<ScenarioReading>): Promise<ScenarioReading> {
  const begun_ms = performance.now();
  const reading = await read();
  return { ...reading, read_s: (performance.now() - begun_ms) / 1000 };
}

export class Scenarios {
  private readonly data: Pick<ScenarioResources, ProgramDataName>;
  private readonly services: ScenarioServices;
  private readonly lately = new Map<string, Promise<LocatedScenario>>();

  constructor(services: ScenarioServices, data: Pick<ScenarioResources, ProgramDataName>) {
    this.services = services;
    this.data = data;
  }

  get materials(): Materials {
    return this.data.materials;
  }

  /** Reads a scenario of any kind from disk. */
  read(file: string, options: ReadOptions = {}): Promise<ScenarioReading> {
    return withReadTime(() => this.readFile(file, options));
  }

  private async readFile(file: string, options: ReadOptions): Promise<ScenarioReading> {
    const read = await readText(file);
    if (read.ok) return this.parse(read.text, { name: file, folder: path.dirname(file) }, options);
    const near = read.missing ? await similarFile(file, this.services.assetsFolder) : null;
    // A name without a folder may refer to a shipped example.
    const isExampleName = read.missing && !/[/\\]/.test(file);
    const issue: Issue = {
      severity: 'error',
      file,
      path: '',
      line: null,
      column: null,
      message: `${read.reason}${near !== null ? ` (did you mean ${near}?)` : isExampleName ? ', nor an example with that name (braggbench examples lists them)' : ''}`,
      value: null,
      allowed: null,
    };
    return this.unreadableReading([issue], (fault) => toIssue(fault, file));
  }

  /** Reads a scenario of any kind from text. The extension of `place.name` determines whether it is JSON or YAML. */
  async parse(text: string, place: ScenarioOrigin, { overrides = [] }: ReadOptions = {}): Promise<ScenarioReading> {
    const parsed = await parseTextOnThread(text, place.name);
    if (parsed.value === undefined) return this.unreadableReading(parsed.issues, parsed.locate);
    const { document, faults } = applyOverrides(parsed.value, overrides);
    const locate = (fault: FieldIssue): Issue =>
      isFromOverride(fault.path, overrides) ? toIssue(fault, overrideSource) : parsed.locate(fault);
    const known = [...parsed.issues, ...faults.map((found) => toIssue(found, overrideSource))];
    return this.readDocument(document, place, known, locate);
  }

  /** Checks a document that is not read from text, for example that of the page's form. */
  check(document: unknown, place: ScenarioOrigin): Promise<ScenarioReading> {
    return withReadTime(() => this.readDocument(document, place, [], (fault) => toIssue(fault, null)));
  }

  /** Like `check`, but without the warnings that need the engine, for scenarios that are solved at once. */
  checkQuickly(document: unknown, place: ScenarioOrigin): Promise<ScenarioReading> {
    return this.readDocument(document, place, [], (fault) => toIssue(fault, null), false);
  }

  /** Text of a scenario file. The document may be a draft with errors. */
  fileText(document: unknown): string {
    return formatScenario(document);
  }

  /** Writes a scenario file atomically. Throws a BraggError. */
  async write(file: string, document: unknown, ifExists: 'replace' | 'refuse' = 'replace'): Promise<void> {
    await writeAtomically(file, this.fileText(document), ifExists);
  }

  private unreadableReading(issues: readonly Issue[], locate: UnknownKindReading['locate']): UnknownKindReading {
    return { kind: null, draft: null, document: null, scenario: null, issues, locate };
  }

  private async readDocument(
    value: unknown,
    place: ScenarioOrigin,
    known: readonly Issue[],
    locate: (fault: FieldIssue) => Issue,
    warn = true,
  ): Promise<ScenarioReading> {
    const draft = isRecord(value) ? value : null;
    const { document, filled, leftOut, faults } = await validateDocument(value);
    const found = [...known, ...faults.map(locate)];
    if (filled === null)
      return { kind: null, draft, document: null, scenario: null, issues: found.sort(compareByPosition), locate };
    const { variant } = filled.solver;
    // Ignore errors of a user kernel here. The check reports it as unknown, and running it reports the error.
    await this.services.discover?.(place.folder, variant, filled).catch(() => undefined);
    const parts = await this.findCached(filled, value, leftOut, place);
    const mismatch = this.services.mismatch?.(variant, filled) ?? null;
    // Variants of another workload are known, but cannot run this scenario.
    const fitting =
      mismatch === null
        ? parts.faults
        : [
            ...parts.faults.filter(({ path }) => formatPath(path) !== 'solver.variant'),
            fieldIssue(['solver', 'variant'], variant, mismatch.says, mismatch.allowed),
          ];
    const all = [...found, ...fitting.map(locate), ...parts.issues];
    const valid = !hasErrors(all);
    const warnings = valid && warn ? await parts.warnings() : [];
    const issues = [...all, ...warnings.map(locate)].sort(compareByPosition);
    return parts.reading({ draft, document: valid ? document : null, issues, valid, locate });
  }

  /**
   * Returns the workload's issues of a scenario. Cached while its files and the variants are unchanged, because a
   * scenario is checked several times between the page and a run.
   */
  private async findCached(
    filled: ScenarioWithStaticDefaults,
    value: unknown,
    leftOut: readonly Path[],
    place: ScenarioOrigin,
  ): Promise<LocatedScenario> {
    const { workloads, variants } = this.services;
    const side = workloads[filled.kind].scenario;
    const files = place.folder === null ? [] : side.files(filled).map((file) => path.join(place.folder ?? '', file));
    const stamps = await Promise.all(files.map(changeStamp));
    const ids = variants(filled.kind).map(({ id, bench }) => `${bench} ${id}`);
    const key = JSON.stringify([value, filled, leftOut, place, stamps, ids]);
    const kept = this.lately.get(key);
    if (kept !== undefined) return kept;
    const found = side.completeAndCheck(filled, value, leftOut, place, { ...this.services, ...this.data });
    this.lately.set(key, found);
    found.catch(() => this.lately.delete(key));
    const [oldest] = this.lately.keys();
    if (this.lately.size > CACHED_READINGS && oldest !== undefined) this.lately.delete(oldest);
    return found;
  }
}

/** Reads the materials and nuclear tables that are shipped with the program. Throws if they are damaged. */
export async function openScenarios(services: ScenarioServices): Promise<Scenarios> {
  const [materials, nuclearTables, huTable] = await Promise.all([
    loadMaterials(services.assetsFolder),
    loadNuclearTables(services.assetsFolder),
    loadHuTable(services.assetsFolder, 'schneider'),
  ]);
  return new Scenarios(services, { materials, nuclearTables, huTable });
}

export { checkWritable, renameToFreeName, writeAtomically } from '../../io/files/write-file.ts';
export { type Override, parseOverride } from '../../model/scenarios/overrides.ts';
export type { Material, Materials } from '../../model/scenarios/stopping-table.ts';
export type { DiffractionReading } from '../diffraction/scenario/index.ts';
export type { TaskReading } from '../task/scenario/index.ts';
export type { GridEstimate } from '../transport/scenario/index.ts';
export type { Reading, TransportReading } from '../transport/scenario/problem.ts';
