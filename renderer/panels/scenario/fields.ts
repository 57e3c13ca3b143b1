/** Model of a form field: schema, value, default, issues. No React. */
import type { Issue } from '../../../electron/contract/errors.ts';
import type { ScenarioDraft } from '../../../electron/contract/scenario/draft.ts';
import {
  allowedText,
  type Fault,
  formatPath,
  isWithin,
  type JsonSchema,
  kindOfDocument,
  type Path,
  parsePath,
  scenarioKinds,
  schemaAt,
  validateScenario,
  valueAt,
} from '../../../electron/contract/scenario/index.ts';
import { type Unit, unitSymbols } from '../../../electron/contract/units.ts';
import { sameJson } from '../../base/same-json.ts';
import type { Check } from '../../state/scenario.ts';

export interface FieldModel {
  readonly path: Path;
  /** As in files: `beam.energy_MeV`. */
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly allowed: string;
  readonly unit: Unit;
  readonly schema: JsonSchema;
  /** Value in the document; undefined if the default applies. */
  readonly value: unknown;
  /** The default in force: from the host where it follows from other values, else the schema's. */
  readonly fallback: unknown;
  /** Default for display. If the document has a value, defaults derived from other values are not recomputed. */
  readonly usual: unknown;
  /** A value that may be taken back; some have no default. */
  readonly resettable: boolean;
}

/** Required values, which cannot be reset. */
const isNeeded = (kind: ReturnType<typeof kindOfDocument>, path: Path): boolean =>
  scenarioKinds[kind].standIns.some((needed) => sameJson(needed.path, path)) || formatPath(path) === 'beam.range_mm';

/** A document with its union branches decided, where the author left the choice to the default. */
function described(draft: ScenarioDraft, resolved: ScenarioDraft | null): unknown {
  return resolved === null ? draft : { ...resolved, ...draft };
}

/** Null if the schema has no such field (a union's other branch). */
export function fieldModel(draft: ScenarioDraft, resolved: ScenarioDraft | null, path: Path): FieldModel | null {
  const kind = kindOfDocument(draft);
  const schema = schemaAt(kind, path, draft) ?? schemaAt(kind, path, described(draft, resolved));
  if (schema === null) return null;
  const value = valueAt(draft, path);
  const fallback = schema.default ?? valueAt(resolved, path);
  const unit = schema.unit !== undefined && schema.unit in unitSymbols ? (schema.unit as Unit) : '1';
  return {
    path,
    key: formatPath(path),
    title: schema.title ?? String(path.at(-1)),
    description: schema.description ?? '',
    allowed: allowedText(schema),
    unit,
    schema,
    ...{ value, fallback },
    usual: value === undefined ? fallback : schema.default,
    resettable: value !== undefined && fallback !== undefined && !isNeeded(kind, path),
  };
}

/** The values that a field allows, where it names them one by one; null where it does not. */
export function choicesOf({ enum: words, anyOf }: JsonSchema): readonly unknown[] | null {
  if (words !== undefined) return words;
  const single = anyOf?.map((branch) => branch.const);
  return single?.every((value) => typeof value === 'number' || typeof value === 'string') ? single : null;
}

function asIssue(fault: Fault): Issue {
  const { severity, message, value, allowed } = fault;
  return { severity, message, value, allowed, path: formatPath(fault.path), file: null, line: null, column: null };
}

/**
 * Current issues of the draft. The schema answers immediately. Issues that only the host can find (tables, memory) are
 * reused from its last answer for unchanged values. So messages do not flicker while typing.
 */
export function currentIssues(draft: ScenarioDraft, check: Check | null): readonly Issue[] {
  if (check?.draft === draft) return check.issues;
  const own = validateScenario(draft).faults.map(asIssue);
  const kept = (check?.issues ?? []).filter((issue) => {
    if (own.some((fault) => fault.path === issue.path)) return false;
    const path = parsePath(issue.path);
    return path !== null && sameJson(valueAt(draft, path), valueAt(check?.draft, path)) && hostOnly(issue, check);
  });
  return [...own, ...kept];
}

function hostOnly(issue: Issue, check: Check | null): boolean {
  if (check === null) return false;
  return !validateScenario(check.draft).faults.some((fault) => formatPath(fault.path) === issue.path);
}

/** The issues of one field, or of what lies below it. */
export function issuesAt(issues: readonly Issue[], path: Path): readonly Issue[] {
  return issues.filter((issue) => {
    const at = parsePath(issue.path);
    return at !== null && isWithin(at, path);
  });
}

export function numberOr(value: unknown, otherwise: number | null): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}
