/** Reading, checking, completing and writing scenarios. */
import { dirname } from 'node:path';
import { BraggError, type Issue } from '../../contract/errors.ts';
import {
  type CompleteScenario,
  type Fault,
  formatIssue,
  type Path,
  type ScenarioDocument,
  sparse,
  validateScenario,
  writeScenarioText,
} from '../../contract/scenario/index.ts';
import type { TransportProblem } from '../addon.ts';
import { loadMaterials, type Materials } from './materials.ts';
import { applyOverrides, fromOverride, type Override } from './overrides.ts';
import { issueAt, parseText } from './parse.ts';
import type { RangeTable } from './stopping-table.ts';
import { readText } from './text/read.ts';
import { type GridEstimate, readTransport, type TransportReading } from './transport/index.ts';
import { writeAtomically } from './write-file.ts';

export interface ScenarioServices {
  /** Folder with `materials/`. */
  readonly assetsFolder: string;
  /** The addon's `rangeTable`. */
  readonly rangeTable: RangeTable;
  /** Ids of the variants that `solver.variant` can name. */
  readonly variants: readonly string[];
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

export interface Reading {
  /** The document as written, also with faults in it; null when the text is no object. */
  readonly draft: Readonly<Record<string, unknown>> | null;
  /** The draft in the newest version, when nothing in it is at fault. */
  readonly document: ScenarioDocument | null;
  /** With every default; as good as could be done where there are faults. Null without a usable energy. */
  readonly scenario: CompleteScenario | null;
  readonly estimate: GridEstimate | null;
  /** CSDA range along the beam in the background, regions ignored; mm. */
  readonly range_mm: number | null;
  /** CSDA range in water of density 1; mm. */
  readonly waterRange_mm: number | null;
  /** Title of the stopping power table of water in use. */
  readonly table: string | null;
  /** Errors and warnings, in the order of the text. */
  readonly issues: readonly Issue[];
  /** The problem for the engine; null when there are errors. */
  readonly problem: (() => TransportProblem) | null;
  /** A fault found later, as an issue at its place in the text. */
  readonly locate: (fault: Fault) => Issue;
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

export class Scenarios {
  readonly materials: Materials;
  private readonly services: ScenarioServices;

  constructor(services: ScenarioServices, materials: Materials) {
    this.services = services;
    this.materials = materials;
  }

  /** Reads a file from disk. A file that cannot be read gives a reading with that one issue. */
  async read(path: string, options: ReadOptions = {}): Promise<Reading> {
    const read = await readText(path);
    if (read.ok) return this.parse(read.text, { name: path, folder: dirname(path) }, options);
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

  /** Reads JSON or YAML text; the name's extension decides which. */
  async parse(text: string, place: Place, { overrides = [] }: ReadOptions = {}): Promise<Reading> {
    const parsed = parseText(text, place.name);
    if (parsed.value === undefined) return this.unreadable(parsed.issues, parsed.locate);
    const { document, faults } = applyOverrides(parsed.value, overrides);
    const locate = (fault: Fault): Issue =>
      fromOverride(fault.path, overrides) ? issueAt(fault, overrideSource) : parsed.locate(fault);
    const known = [...parsed.issues, ...faults.map((found) => issueAt(found, overrideSource))];
    return this.checked(document, place, known, locate);
  }

  /** Checks a document that has no text, such as the page's form. */
  async check(document: unknown, place: Place): Promise<Reading> {
    return this.checked(document, place, [], (fault) => issueAt(fault, null));
  }

  /** The problem for the engine. Throws a BraggError `invalid` with every issue if the reading has errors. */
  resolve(reading: Reading): TransportProblem {
    if (reading.problem === null) throw new BraggError('invalid', summary(reading.issues), reading.issues);
    return reading.problem();
  }

  /**
   * The shortest document that means the same as `scenario`, with every value
   * under `keep` (what the user set) written out. `place` as in `check`.
   */
  async sparse(scenario: CompleteScenario, keep: readonly Path[], place: Place): Promise<ScenarioDocument> {
    // The table is loaded once; completing is then plain computation.
    const base = await this.transport(scenario, scenario, [], place);
    const complete = (document: unknown): unknown => {
      const { filled } = validateScenario(document);
      return filled === null ? null : base.recomplete(filled);
    };
    return sparse({ ...scenario }, keep, complete) as ScenarioDocument;
  }

  /** The text of a scenario file, of a draft too. */
  text(document: unknown): string {
    return writeScenarioText(document);
  }

  /** Writes a scenario file, whole or not at all. Throws a BraggError. */
  async write(path: string, document: unknown, ifExists: 'replace' | 'refuse' = 'replace'): Promise<void> {
    await writeAtomically(path, this.text(document), ifExists);
  }

  private unreadable(issues: readonly Issue[], locate: Reading['locate']): Reading {
    return {
      draft: null,
      document: null,
      scenario: null,
      estimate: null,
      range_mm: null,
      waterRange_mm: null,
      table: null,
      issues,
      problem: null,
      locate,
    };
  }

  private async checked(
    value: unknown,
    place: Place,
    known: readonly Issue[],
    locate: (fault: Fault) => Issue,
  ): Promise<Reading> {
    const draft = isRecord(value) ? value : null;
    const { document, filled, leftOut, faults } = validateScenario(value);
    const found = [...known, ...faults.map(locate)];
    if (filled === null) return { ...this.unreadable(found.sort(byPlace), locate), draft };
    const reading = await this.transport(filled, value, leftOut, place);
    const all = [...found, ...reading.faults.map(locate), ...reading.issues];
    const valid = !hasErrors(all);
    const issues = [...all, ...(valid ? reading.warnings().map(locate) : [])].sort(byPlace);
    return {
      draft,
      document: valid ? document : null,
      scenario: reading.scenario,
      estimate: reading.estimate,
      range_mm: reading.range_mm,
      waterRange_mm: reading.waterRange_mm,
      table: reading.table.title,
      issues,
      problem: valid ? reading.problem : null,
      locate,
    };
  }

  private transport(
    filled: Parameters<typeof readTransport>[0],
    document: unknown,
    leftOut: readonly Path[],
    place: Place,
  ): Promise<TransportReading> {
    return readTransport(filled, document, leftOut, place, { ...this.services, materials: this.materials });
  }
}

/** Reads the program's materials; throws if they are damaged. */
export async function openScenarios(services: ScenarioServices): Promise<Scenarios> {
  return new Scenarios(services, await loadMaterials(services.assetsFolder));
}
