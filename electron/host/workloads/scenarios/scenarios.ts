/** Reading, checking, completing and writing scenarios. */
import path from 'node:path';
import { BraggError, type Issue } from '../../../contract/errors.ts';
import {
  type Fault,
  fault,
  formatIssue,
  formatPath,
  type Path,
  type ScenarioWithConstants,
  type Validated,
  validateScenario,
  writeScenarioText,
} from '../../../contract/scenario/index.ts';
import type { WorkloadName } from '../../../contract/workload.ts';
import { aside } from '../../io/aside/task.ts';
import { stampOf } from '../../io/files/stamp.ts';
import { writeAtomically } from '../../io/files/write-file.ts';
import { readText } from '../../io/text/read.ts';
import { loadHuTable } from '../../model/matter/hu-table.ts';
import { loadMaterials, type Materials } from '../../model/scenarios/materials.ts';
import { loadNuclearTables } from '../../model/scenarios/nuclear-tables.ts';
import { applyOverrides, fromOverride, type Override } from '../../model/scenarios/overrides.ts';
import { issueAt, parseTextAside } from '../../model/scenarios/parse.ts';
import { nearFile } from './near-file.ts';
import type { NoReading } from './read.ts';
import type { AnyReading } from './reading.ts';
import type { Found, Known, ScenarioOrigin, ScenarioSide } from './side.ts';

/** The program's own data. */
type ReadOnce = 'materials' | 'nuclearTables' | 'huTable';

interface ScenarioServices extends Omit<Known, ReadOnce> {
  /** Folder with `materials/`, `nuclear/` and `scenarios/`. */
  readonly assetsFolder: string;
  /** The registry: how the scenarios of each workload are read. */
  readonly workloads: Readonly<Record<WorkloadName, { readonly scenario: ScenarioSide }>>;
  /** Makes the user kernel known that a scenario in `folder` names, where it is one. Throws a BraggError. */
  readonly discover?: (folder: string | null, variant: string, scenario: ScenarioWithConstants) => Promise<void>;
  /** Why the variant that a scenario names cannot run it, where it is a user kernel of another workload. */
  readonly mismatch?: (
    variant: string,
    scenario: ScenarioWithConstants,
  ) => { readonly says: string; readonly allowed: string } | null;
}

export type ReadOptions = { readonly overrides?: readonly Override[] };

/** Scenarios in use at a time: of several windows, or of a sweep. */
const KEPT = 16;

/** Source of overrides, as named in messages. */
const overrideSource = '--set';

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function byPlace(a: Issue, b: Issue): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}

function hasErrors(issues: readonly Issue[]): boolean {
  return issues.some(({ severity }) => severity === 'error');
}

/** The sentence for an error that carries these issues: the first one, and how many more there are. */
function summary(issues: readonly Issue[]): string {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const first = errors[0] === undefined ? 'the scenario is not valid' : formatIssue(errors[0]);
  return errors.length > 1 ? `${first} (and ${errors.length - 1} more)` : first;
}

/** The problem for the engine. Throws a BraggError `invalid` with every issue if the reading has errors. */
export function problemOf<P>(reading: { readonly problem: (() => P) | null; readonly issues: readonly Issue[] }): P {
  if (reading.problem === null) throw refusalOf(reading.issues);
  return reading.problem();
}

/** The error for a scenario that cannot be used, with every issue. */
export function refusalOf(issues: readonly Issue[]): BraggError {
  return new BraggError('invalid', summary(issues), issues);
}

/** Those of a scenario with a hundred regions: checked in a few milliseconds. */
const FEW_VALUES = 1000;

function hasMoreValues(value: unknown, most: number): boolean {
  let left = most;
  const isOver = (each: unknown): boolean => {
    left -= 1;
    if (left < 0) return true;
    return typeof each === 'object' && each !== null && Object.values(each).some(isOver);
  };
  return isOver(value);
}

const validateAside = aside('check a scenario', validateScenario);

/** Validates against the schema, on a worker thread if there are many values. */
async function validated(value: unknown): Promise<Validated> {
  return hasMoreValues(value, FEW_VALUES) ? validateAside(value) : validateScenario(value);
}

async function timed(read: () => Promise<AnyReading>): Promise<AnyReading> {
  const begun_ms = performance.now();
  const reading = await read();
  return { ...reading, read_s: (performance.now() - begun_ms) / 1000 };
}

export class Scenarios {
  private readonly data: Pick<Known, ReadOnce>;
  private readonly services: ScenarioServices;
  private readonly lately = new Map<string, Promise<Found>>();

  constructor(services: ScenarioServices, data: Pick<Known, ReadOnce>) {
    this.services = services;
    this.data = data;
  }

  get materials(): Materials {
    return this.data.materials;
  }

  /** Reads a scenario of any kind from disk. */
  read(file: string, options: ReadOptions = {}): Promise<AnyReading> {
    return timed(() => this.readFile(file, options));
  }

  private async readFile(file: string, options: ReadOptions): Promise<AnyReading> {
    const read = await readText(file);
    if (read.ok) return this.parse(read.text, { name: file, folder: path.dirname(file) }, options);
    const near = read.missing ? await nearFile(file, this.services.assetsFolder) : null;
    // A name without a folder may be meant as an example's.
    const isExampleName = read.missing && !/[/\\]/.test(file);
    const issue: Issue = {
      severity: 'error',
      file,
      path: '',
      line: null,
      column: null,
      message: `${read.reason}${near !== null ? ` (did you mean ${near}?)` : isExampleName ? ', nor an example of that name (braggbench examples lists them)' : ''}`,
      value: null,
      allowed: null,
    };
    return this.unreadable([issue], (fault) => issueAt(fault, file));
  }

  /** Reads a scenario of any kind from JSON or YAML text; the name's extension decides which. */
  async parse(text: string, place: ScenarioOrigin, { overrides = [] }: ReadOptions = {}): Promise<AnyReading> {
    const parsed = await parseTextAside(text, place.name);
    if (parsed.value === undefined) return this.unreadable(parsed.issues, parsed.locate);
    const { document, faults } = applyOverrides(parsed.value, overrides);
    const locate = (fault: Fault): Issue =>
      fromOverride(fault.path, overrides) ? issueAt(fault, overrideSource) : parsed.locate(fault);
    const known = [...parsed.issues, ...faults.map((found) => issueAt(found, overrideSource))];
    return this.checked(document, place, known, locate);
  }

  /** Checks a document of any kind that has no text, such as the page's form. */
  check(document: unknown, place: ScenarioOrigin): Promise<AnyReading> {
    return timed(() => this.checked(document, place, [], (fault) => issueAt(fault, null)));
  }

  /** The same without the warnings that need the engine, for one that is solved at once. */
  checkQuickly(document: unknown, place: ScenarioOrigin): Promise<AnyReading> {
    return this.checked(document, place, [], (fault) => issueAt(fault, null), false);
  }

  /** The text of a scenario file, of a draft too. */
  text(document: unknown): string {
    return writeScenarioText(document);
  }

  /** Writes a scenario file, whole or not at all. Throws a BraggError. */
  async write(file: string, document: unknown, ifExists: 'replace' | 'refuse' = 'replace'): Promise<void> {
    await writeAtomically(file, this.text(document), ifExists);
  }

  private unreadable(issues: readonly Issue[], locate: NoReading['locate']): NoReading {
    return { kind: null, draft: null, document: null, scenario: null, issues, locate };
  }

  private async checked(
    value: unknown,
    place: ScenarioOrigin,
    known: readonly Issue[],
    locate: (fault: Fault) => Issue,
    warn = true,
  ): Promise<AnyReading> {
    const draft = isRecord(value) ? value : null;
    const { document, filled, leftOut, faults } = await validated(value);
    const found = [...known, ...faults.map(locate)];
    if (filled === null)
      return { kind: null, draft, document: null, scenario: null, issues: found.sort(byPlace), locate };
    const { variant } = filled.solver;
    // Errors of a user kernel are reported when it runs; the check reports it as unknown.
    await this.services.discover?.(place.folder, variant, filled).catch(() => undefined);
    const parts = await this.found(filled, value, leftOut, place);
    const mismatch = this.services.mismatch?.(variant, filled) ?? null;
    // A variant of another workload is known, only not here.
    const fitting =
      mismatch === null
        ? parts.faults
        : [
            ...parts.faults.filter(({ path }) => formatPath(path) !== 'solver.variant'),
            fault(['solver', 'variant'], variant, mismatch.says, mismatch.allowed),
          ];
    const all = [...found, ...fitting.map(locate), ...parts.issues];
    const valid = !hasErrors(all);
    const warnings = valid && warn ? await parts.warnings() : [];
    const issues = [...all, ...warnings.map(locate)].sort(byPlace);
    return parts.reading({ draft, document: valid ? document : null, issues, valid, locate });
  }

  /**
   * The workload's findings about a scenario. The same scenario is checked several times on the way from the page to a
   * run. Findings are therefore cached while its files and the variants are unchanged.
   */
  private async found(
    filled: ScenarioWithConstants,
    value: unknown,
    leftOut: readonly Path[],
    place: ScenarioOrigin,
  ): Promise<Found> {
    const { workloads, variants } = this.services;
    const side = workloads[filled.kind].scenario;
    const files = place.folder === null ? [] : side.files(filled).map((file) => path.join(place.folder ?? '', file));
    const stamps = await Promise.all(files.map(stampOf));
    const ids = variants(filled.kind).map(({ id, bench }) => `${bench} ${id}`);
    const key = JSON.stringify([value, filled, leftOut, place, stamps, ids]);
    const kept = this.lately.get(key);
    if (kept !== undefined) return kept;
    const found = side.find(filled, value, leftOut, place, { ...this.services, ...this.data });
    this.lately.set(key, found);
    found.catch(() => this.lately.delete(key));
    const [oldest] = this.lately.keys();
    if (this.lately.size > KEPT && oldest !== undefined) this.lately.delete(oldest);
    return found;
  }
}

/** Reads the program's materials and tables of reactions; throws if they are damaged. */
export async function openScenarios(services: ScenarioServices): Promise<Scenarios> {
  const [materials, nuclearTables, huTable] = await Promise.all([
    loadMaterials(services.assetsFolder),
    loadNuclearTables(services.assetsFolder),
    loadHuTable(services.assetsFolder, 'schneider'),
  ]);
  return new Scenarios(services, { materials, nuclearTables, huTable });
}
