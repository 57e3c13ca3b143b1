/**
 * Model of a form field: schema, value, default, issues. No React. Context of the form's fields: the document, its
 * issues, and edits.
 */
import { createContext, useContext } from 'react';
import type { Issue } from '../../../electron/contract/errors.ts';
import {
  branchFor,
  describeAllowed,
  type FieldIssue,
  formatPath,
  isWithin,
  type JsonSchema,
  kindOfDocument,
  type Path,
  parsePath,
  scenarioDifferences,
  scenarioKinds,
  schemaAt,
  validateScenario,
  valueAt,
} from '../../../electron/contract/scenario/index.ts';
import type { ScenarioDraft } from '../../../electron/contract/scenario/workload.ts';
import type { ResolvedScenario } from '../../../electron/contract/scenarios.ts';
import { type Unit, unitSymbols } from '../../../electron/domain/values/units.ts';
import { sameJson } from '../../base/same-json.ts';
import type { Check } from '../../state/scenario.ts';

/** Maximum number of changes listed in the hint below the notes. */
const MAX_CHANGES = 3;

/** Changes of a scenario since its notes were written, such as `Energy was 70 MeV`; null if there are none. */
export function changesSinceNotes(noted: ScenarioDraft, draft: ScenarioDraft): string | null {
  if (noted === draft || typeof draft['notes'] !== 'string') return null;
  const changes = scenarioDifferences(noted, draft).filter(({ path }) => path !== 'name');
  if (changes.length === 0) return null;
  const named = changes.slice(0, MAX_CHANGES).map(({ title, before }) => `${title} was ${before}`);
  const more = changes.length - named.length;
  return `Written before these changes: ${[...named, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')}.`;
}

export interface FieldModel {
  readonly path: Path;
  /** Path as in files: `beam.energy_MeV`. */
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly allowed: string;
  readonly unit: Unit;
  readonly schema: JsonSchema;
  /** Value in the document; undefined if the default applies. */
  readonly value: unknown;
  /** Current default: from the host if it depends on other values, else from the schema. */
  readonly currentDefault: unknown;
  /** Default to display. While the document has a value, a default that depends on other values is not recomputed. */
  readonly displayedDefault: unknown;
  /** Whether the value can be reset; some fields have no default. */
  readonly resettable: boolean;
}

/** Whether the value is required and thus cannot be reset. */
const isRequired = (kind: ReturnType<typeof kindOfDocument>, path: Path): boolean =>
  scenarioKinds[kind].standIns.some((needed) => sameJson(needed.path, path)) || formatPath(path) === 'beam.range_mm';

/**
 * The draft completed with resolved values, so that the schema of a union's branch is found even if the branch applies
 * by default.
 */
function documentWithBranches(draft: ScenarioDraft, resolved: ScenarioDraft | null): unknown {
  return resolved === null ? draft : { ...resolved, ...draft };
}

/** Null if the schema has no such field, as in an unselected union branch. */
export function fieldModel(draft: ScenarioDraft, resolved: ScenarioDraft | null, path: Path): FieldModel | null {
  const kind = kindOfDocument(draft);
  const schema = schemaAt(kind, path, draft) ?? schemaAt(kind, path, documentWithBranches(draft, resolved));
  if (schema === null) return null;
  const value = valueAt(draft, path);
  const currentDefault = schema.default ?? valueAt(resolved, path);
  const unit = schema.unit !== undefined && schema.unit in unitSymbols ? (schema.unit as Unit) : '1';
  return {
    path,
    key: formatPath(path),
    title: schema.title ?? String(path.at(-1)),
    description: schema.description ?? '',
    allowed: describeAllowed(schema),
    unit,
    schema,
    ...{ value, currentDefault },
    displayedDefault: value === undefined ? currentDefault : schema.default,
    resettable: value !== undefined && currentDefault !== undefined && !isRequired(kind, path),
  };
}

/** Allowed values of a field, if its schema enumerates them; otherwise null. */
export function choicesOf({ enum: words, anyOf }: JsonSchema): readonly unknown[] | null {
  if (words !== undefined) return words;
  const single = anyOf?.map((branch) => branch.const);
  return single?.every((value) => typeof value === 'number' || typeof value === 'string') ? single : null;
}

function asIssue(fault: FieldIssue): Issue {
  const { severity, message, value, allowed } = fault;
  return { severity, message, value, allowed, path: formatPath(fault.path), file: null, line: null, column: null };
}

/**
 * Current issues of the draft. The schema responds immediately. Issues that only the host can find (tables, memory) are
 * reused from its last response while the value is unchanged. Messages then do not flicker during typing.
 */
export function currentIssues(draft: ScenarioDraft, check: Check | null): readonly Issue[] {
  if (check?.draft === draft) return check.issues;
  const own = validateScenario(draft).faults.map(asIssue);
  const hostIssues = (check?.issues ?? []).filter((issue) => {
    if (own.some((fault) => fault.path === issue.path)) return false;
    const path = parsePath(issue.path);
    return path !== null && sameJson(valueAt(draft, path), valueAt(check?.draft, path)) && isFoundByHost(issue, check);
  });
  return [...own, ...hostIssues];
}

function isFoundByHost(issue: Issue, check: Check | null): boolean {
  if (check === null) return false;
  return !validateScenario(check.draft).faults.some((fault) => formatPath(fault.path) === issue.path);
}

/** Whether a field accepts a number or a formula, as for sizes in problem folders. */
export function isFormula({ anyOf = [] }: JsonSchema): boolean {
  return (
    anyOf.length === 2 && anyOf.some(({ type }) => type === 'number') && anyOf.some(({ type }) => type === 'string')
  );
}

/** Value of a typed formula; text that is a plain number becomes a number. */
export function formulaOf(text: string): number | string {
  const plain = text.trim();
  return plain !== '' && Number.isFinite(Number(plain)) ? Number(plain) : plain;
}

/** Splits at commas outside brackets: `n, max(a, b)` has two parts. */
export function splitAtCommas(text: string): readonly string[] {
  const parts = [''];
  let depth = 0;
  for (const letter of text) {
    if (letter === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += letter;
    depth = Math.max(0, depth + ('([{'.includes(letter) ? 1 : ')]}'.includes(letter) ? -1 : 0));
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

const isPrimitive = (value: unknown): value is string | number => ['string', 'number'].includes(typeof value);

/**
 * Name and summary of a collapsed list entry, such as `x` and `input · fp32 · [rows, columns]`. The first text is the
 * name.
 */
export function entryText({ properties = {} }: JsonSchema, entry: unknown): readonly [name: string, rest: string] {
  const values = Object.entries(properties).flatMap(([key, { title = key }]) => {
    const value = valueAt(entry, [key]);
    if (typeof value === 'number') return [`${title.toLowerCase()} ${value}`];
    if (Array.isArray(value) && value.length > 0 && value.every(isPrimitive)) return [`[${value.join(', ')}]`];
    return typeof value === 'string' && value !== '' ? [value] : [];
  });
  const [name = '', ...rest] = values;
  return [name, rest.join(' · ')];
}

/** A new entry: the first value of required enumerations, and empty lists; the user enters names. */
export function newEntry({ properties = {}, required = [] }: JsonSchema): Readonly<Record<string, unknown>> {
  const values = required.flatMap((key) => {
    const { enum: words, type } = properties[key] ?? {};
    const value = words?.[0] ?? (type === 'array' ? [] : undefined);
    return value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(values);
}

/** Whether a value in a list entry may be omitted without a default. */
export function isOptional(draft: ScenarioDraft, path: Path): boolean {
  const key = path.at(-1);
  const parent = schemaAt(kindOfDocument(draft), path.slice(0, -1), draft);
  if (typeof key !== 'string' || parent === null || !path.some((step) => typeof step === 'number')) return false;
  const { properties = {}, required = [] } = branchFor(parent, valueAt(draft, path.slice(0, -1)));
  return !required.includes(key) && properties[key]?.default === undefined;
}

/** Issues of a field or of values below it. */
export function issuesAt(issues: readonly Issue[], path: Path): readonly Issue[] {
  return issues.filter((issue) => {
    const at = parsePath(issue.path);
    return at !== null && isWithin(at, path);
  });
}

export function numberOr(value: unknown, otherwise: number | null): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}

export interface Form {
  readonly draft: ScenarioDraft;
  readonly resolved: ResolvedScenario | null;
  readonly issues: readonly Issue[];
  edit(path: Path, value: unknown, label: string, key?: string | null): void;
  endEdit(): void;
  /** Sets the field that the help below the form explains. */
  explain(field: FieldModel | null): void;
}

export const FormContext = createContext<Form | null>(null);

export function useForm(): Form {
  const form = useContext(FormContext);
  if (form === null) throw new Error('a form field was rendered outside the panel Scenario');
  return form;
}
