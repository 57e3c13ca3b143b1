/** Reading, checking, completing and writing scenarios. */
import { dirname } from 'node:path';
import { BraggError, type Issue } from '../../../contract/errors.ts';
import {
  type DiffractionDocument,
  type Fault,
  fault,
  formatIssue,
  formatPath,
  type Path,
  type ScenarioWithConstants,
  sparse,
  type TaskDocument,
  type TaskScenario,
  type TransportDocument,
  type TransportScenario,
  type TransportWithConstants,
  validateScenario,
  writeScenarioText,
} from '../../../contract/scenario/index.ts';
import type { TransportProblem } from '../../io/addon/addon.ts';
import { writeAtomically } from '../../io/files/write-file.ts';
import { readText } from '../../io/text/read.ts';
import { loadMaterials, type Materials } from '../../model/scenarios/materials.ts';
import { applyOverrides, fromOverride, type Override } from '../../model/scenarios/overrides.ts';
import { issueAt, parseText } from '../../model/scenarios/parse.ts';
import type { RangeTable } from '../../model/scenarios/stopping-table.ts';
import { type DiffractionServices, readDiffraction } from '../diffraction/scenario/index.ts';
import { checkTask, resolveTask, type TaskServices } from '../task/scenario/index.ts';
import { readTransport, type TransportReading as TransportParts } from '../transport/scenario/index.ts';
import { type AnyReading, asTransport, type NoReading, type Reading } from './reading.ts';

export interface ScenarioServices extends DiffractionServices, TaskServices {
  /** Folder with `materials/`. */
  readonly assetsFolder: string;
  /** The addon's `rangeTable`. */
  readonly rangeTable: RangeTable;
  /** Ids of the variants that `solver.variant` of a transport scenario can name. */
  readonly variants: readonly string[];
  /** Makes the own variant known that a scenario in `folder` names, where it is one. Throws a BraggError. */
  readonly discover?: (folder: string | null, variant: string) => Promise<void>;
  /** Why the variant that a scenario names cannot run it, where it is an own one of another workload. */
  readonly mismatch?: (
    variant: string,
    scenario: ScenarioWithConstants,
  ) => { readonly says: string; readonly allowed: string } | null;
  /** Range spread (sigma, mm of water) that the energy grid adds; null: the engine refuses the problem. */
  readonly extraStraggling: (problem: TransportProblem) => number | null;
  /** Most bytes of state that one run may take. */
  readonly memoryLimit_bytes: number;
}

export interface Place {
  /** The file as shown in messages. */
  readonly name: string;
  /** Where relative paths in the scenario start; null for one that is not saved. */
  readonly folder: string | null;
}

export type ReadOptions = { readonly overrides?: readonly Override[] };

/** Where overrides come from, as messages name it. */
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

/** What a kind finds in a scenario, and how it puts it together. */
interface Parts {
  readonly faults: readonly Fault[];
  /** Faults in files that the scenario names. */
  readonly issues: readonly Issue[];
  /** What a scenario without errors should be warned of before it is run. */
  readonly warnings: () => readonly Fault[];
  readonly reading: (
    read: Pick<AnyReading, 'draft' | 'issues' | 'locate'> & { readonly document: unknown; readonly valid: boolean },
  ) => AnyReading;
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

export class Scenarios {
  readonly materials: Materials;
  private readonly services: ScenarioServices;

  constructor(services: ScenarioServices, materials: Materials) {
    this.services = services;
    this.materials = materials;
  }

  /** Reads a transport scenario from disk. A file that cannot be read gives a reading with that one issue. */
  async read(path: string, options: ReadOptions = {}): Promise<Reading> {
    return asTransport(await this.readAny(path, options), path);
  }

  /** Reads a scenario of any kind from disk. */
  async readAny(path: string, options: ReadOptions = {}): Promise<AnyReading> {
    const read = await readText(path);
    if (read.ok) return this.parseAny(read.text, { name: path, folder: dirname(path) }, options);
    const issue: Issue = {
      severity: 'error',
      file: path,
      path: '',
      line: null,
      column: null,
      message: read.reason,
      value: null,
      allowed: null,
    };
    return this.unreadable([issue], (fault) => issueAt(fault, path));
  }

  /** Reads a transport scenario from JSON or YAML text; the name's extension decides which. */
  async parse(text: string, place: Place, options: ReadOptions = {}): Promise<Reading> {
    return asTransport(await this.parseAny(text, place, options), place.name);
  }

  /** Reads a scenario of any kind from text. */
  async parseAny(text: string, place: Place, { overrides = [] }: ReadOptions = {}): Promise<AnyReading> {
    const parsed = parseText(text, place.name);
    if (parsed.value === undefined) return this.unreadable(parsed.issues, parsed.locate);
    const { document, faults } = applyOverrides(parsed.value, overrides);
    const locate = (fault: Fault): Issue =>
      fromOverride(fault.path, overrides) ? issueAt(fault, overrideSource) : parsed.locate(fault);
    const known = [...parsed.issues, ...faults.map((found) => issueAt(found, overrideSource))];
    return this.checked(document, place, known, locate);
  }

  /** Checks a transport document that has no text. */
  async check(document: unknown, place: Place): Promise<Reading> {
    return asTransport(await this.checkAny(document, place), null);
  }

  /** Checks a document of any kind that has no text, such as the page's form. */
  checkAny(document: unknown, place: Place): Promise<AnyReading> {
    return this.checked(document, place, [], (fault) => issueAt(fault, null));
  }

  /** The problem for the engine. Throws a BraggError `invalid` with every issue if the reading has errors. */
  resolve(reading: Reading): TransportProblem {
    return problemOf(reading);
  }

  /**
   * The shortest document that means the same as `scenario`, with every value
   * under `keep` (what the user set) written out. `place` as in `check`.
   */
  async sparse(scenario: TransportScenario, keep: readonly Path[], place: Place): Promise<TransportDocument> {
    // The table is loaded once; completing is then plain computation.
    const base = await this.transport(scenario, scenario, [], place);
    const complete = (document: unknown): unknown => {
      const { filled } = validateScenario(document);
      return filled?.kind === 'transport' ? base.recomplete(filled) : null;
    };
    return sparse({ ...scenario }, keep, complete) as TransportDocument;
  }

  /** The text of a scenario file, of a draft too. */
  text(document: unknown): string {
    return writeScenarioText(document);
  }

  /** Writes a scenario file, whole or not at all. Throws a BraggError. */
  async write(path: string, document: unknown, ifExists: 'replace' | 'refuse' = 'replace'): Promise<void> {
    await writeAtomically(path, this.text(document), ifExists);
  }

  private unreadable(issues: readonly Issue[], locate: Reading['locate']): NoReading {
    return { kind: null, draft: null, document: null, scenario: null, issues, locate };
  }

  private async checked(
    value: unknown,
    place: Place,
    known: readonly Issue[],
    locate: (fault: Fault) => Issue,
  ): Promise<AnyReading> {
    const draft = isRecord(value) ? value : null;
    const { document, filled, leftOut, faults } = validateScenario(value);
    const found = [...known, ...faults.map(locate)];
    if (filled === null)
      return { kind: null, draft, document: null, scenario: null, issues: found.sort(byPlace), locate };
    const { variant } = filled.solver;
    // What is wrong with one is told where it is run; the check says that it is not known.
    await this.services.discover?.(place.folder, variant).catch(() => undefined);
    const parts = await this.parts(filled, value, leftOut, place);
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
    const issues = [...all, ...(valid ? parts.warnings().map(locate) : [])].sort(byPlace);
    return parts.reading({ draft, document: valid ? document : null, issues, valid, locate });
  }

  private parts(filled: ScenarioWithConstants, value: unknown, leftOut: readonly Path[], place: Place): Promise<Parts> {
    switch (filled.kind) {
      case 'transport':
        return this.transportParts(filled, value, leftOut, place);
      case 'diffraction':
        return this.diffractionParts(filled, leftOut, place);
      case 'linear-relu':
      case 'micro':
        return Promise.resolve(this.taskParts(filled));
    }
  }

  private async transportParts(
    filled: TransportWithConstants,
    value: unknown,
    leftOut: readonly Path[],
    place: Place,
  ): Promise<Parts> {
    const { scenario, estimate, range_mm, waterRange_mm, table, problem, ...found } = await this.transport(
      filled,
      value,
      leftOut,
      place,
    );
    const numbers = { scenario, estimate, range_mm, waterRange_mm, table: table.title };
    return {
      ...found,
      reading: ({ draft, document, issues, valid, locate }) => ({
        kind: 'transport',
        draft,
        document: document as TransportDocument | null,
        issues,
        ...numbers,
        problem: valid ? problem : null,
        locate,
      }),
    };
  }

  private async diffractionParts(
    filled: Extract<ScenarioWithConstants, { kind: 'diffraction' }>,
    leftOut: readonly Path[],
    place: Place,
  ): Promise<Parts> {
    const { scenario, reflections, problem, ...found } = await readDiffraction(filled, leftOut, place, this.services);
    return {
      ...found,
      warnings: () => [],
      reading: ({ draft, document, issues, valid, locate }) => ({
        kind: 'diffraction',
        draft,
        document: document as DiffractionDocument | null,
        issues,
        scenario,
        reflections,
        problem: valid ? problem : null,
        locate,
      }),
    };
  }

  private taskParts(scenario: TaskScenario): Parts {
    return {
      faults: checkTask(scenario, this.services),
      issues: [],
      warnings: () => [],
      reading: ({ draft, document, issues, valid, locate }) => ({
        kind: scenario.kind,
        draft,
        document: document as TaskDocument | null,
        issues,
        scenario,
        problem: valid ? () => resolveTask(scenario, this.services.memoryLimit_bytes) : null,
        locate,
      }),
    };
  }

  private transport(
    filled: TransportWithConstants,
    document: unknown,
    leftOut: readonly Path[],
    place: Place,
  ): Promise<TransportParts> {
    return readTransport(filled, document, leftOut, place, { ...this.services, materials: this.materials });
  }
}

/** Reads the program's materials; throws if they are damaged. */
export async function openScenarios(services: ScenarioServices): Promise<Scenarios> {
  return new Scenarios(services, await loadMaterials(services.assetsFolder));
}
