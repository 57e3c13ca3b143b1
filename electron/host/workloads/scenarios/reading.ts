/** What is known of a scenario after reading it, by kind. */
import type { Issue } from '../../../contract/errors.ts';
import type {
  DiffractionDocument,
  DiffractionScenario,
  Fault,
  TaskDocument,
  TaskScenario,
  TransportDocument,
  TransportScenario,
} from '../../../contract/scenario/index.ts';
import type { TransportProblem } from '../../io/addon/addon.ts';
import type { DiffractionProblem } from '../../io/addon/diffraction.ts';
import type { TaskProblem } from '../../io/addon/task.ts';
import type { GridEstimate } from '../transport/scenario/index.ts';

interface Read {
  /** The document as written, also with faults in it; null when the text is no object. */
  readonly draft: Readonly<Record<string, unknown>> | null;
  /** Errors and warnings, in the order of the text. */
  readonly issues: readonly Issue[];
  /** A fault found later, as an issue at its place in the text. */
  readonly locate: (fault: Fault) => Issue;
}

/** A transport scenario, or a text that is no scenario at all. */
export interface Reading extends Read {
  /** The draft in the newest version, when nothing in it is at fault. */
  readonly document: TransportDocument | null;
  /** With every default; as good as could be done where there are faults. Null without a usable energy. */
  readonly scenario: TransportScenario | null;
  readonly estimate: GridEstimate | null;
  /** CSDA range along the beam's axis from the entrance, through the regions on it; mm. */
  readonly range_mm: number | null;
  /** CSDA range in water of density 1; mm. */
  readonly waterRange_mm: number | null;
  /** Title of the stopping power table of water in use. */
  readonly table: string | null;
  /** The problem for the engine; null when there are errors. */
  readonly problem: (() => TransportProblem) | null;
}

export interface TransportReading extends Reading {
  readonly kind: 'transport';
}

export interface DiffractionReading extends Read {
  readonly kind: 'diffraction';
  readonly document: DiffractionDocument | null;
  readonly scenario: DiffractionScenario;
  /** In the list that the scenario names; 0 without one. */
  readonly reflections: number;
  readonly problem: (() => DiffractionProblem) | null;
}

/** A small measured workload. */
export interface TaskReading extends Read {
  readonly kind: TaskScenario['kind'];
  readonly document: TaskDocument | null;
  readonly scenario: TaskScenario;
  readonly problem: (() => TaskProblem) | null;
}

/** Not even its kind is known. */
export interface NoReading extends Read {
  readonly kind: null;
  readonly document: null;
  readonly scenario: null;
}

export type AnyReading = TransportReading | DiffractionReading | TaskReading | NoReading;

const nothing = {
  document: null,
  scenario: null,
  estimate: null,
  range_mm: null,
  waterRange_mm: null,
  table: null,
  problem: null,
};

/**
 * The reading for those who take transport scenarios only: of another kind it
 * holds nothing, with an error that says where that kind runs.
 */
export function asTransport(reading: AnyReading, file: string | null): Reading {
  const { draft, issues, kind, locate } = reading;
  if (kind === null) return { draft, issues, locate, ...nothing };
  if (kind === 'transport') return reading;
  const issue: Issue = {
    severity: 'error',
    file,
    path: 'kind',
    line: null,
    column: null,
    message: `${JSON.stringify(kind)} runs on the command line (braggbench run, bench, validate, export); allowed here: transport`,
    value: kind,
    allowed: 'transport',
  };
  return { draft: null, issues: [issue, ...issues], locate, ...nothing };
}
