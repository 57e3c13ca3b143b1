import type { z } from 'zod';
import { formatPath, isWithin, type Path, valueAt, withoutPaths, withValueAt } from '../../domain/values/path.ts';
import { runToCompletion, type YieldingTask } from '../../domain/values/pausing.ts';
import { formatNumber, formatWithUnit, unitSymbols } from '../../domain/values/units.ts';
import { explainIssues } from './explain.ts';
import type { FieldIssue } from './field-issue.ts';
import {
  isScenarioKind,
  type ScenarioDocument,
  type ScenarioKindName,
  type ScenarioWithStaticDefaults,
  scenarioKinds,
} from './kinds.ts';
import { kindOf, migrate, migrateIfPossible } from './migrate.ts';
import { type JsonSchema, orderKeys, orderKeysInSteps, schemaAt, schemaOfKind, unitOf } from './schema.ts';
import type { ContractWorkload } from './workload.ts';

/**
 * Result of checking a document against the schema of its kind. Checks that need material tables are done by the host.
 */
export interface ValidationResult {
  readonly kind: ScenarioKindName | null;
  /** Document in the newest version, without added defaults; null if it is invalid. */
  readonly document: ScenarioDocument | null;
  /**
   * Scenario with constant defaults filled in. Invalid values are replaced by their defaults, so that checks can find
   * further errors. Null if that does not give a valid scenario.
   */
  readonly filled: ScenarioWithStaticDefaults | null;
  /** Paths whose values were removed or replaced in `filled`. */
  readonly leftOut: readonly Path[];
  readonly faults: readonly FieldIssue[];
}

function invalidResult(faults: readonly FieldIssue[], kind: ScenarioKindName | null = null): ValidationResult {
  return { kind, document: null, filled: null, leftOut: [], faults };
}

/** Path to remove if a value is invalid. In a list, the complete entry is removed. */
function pathToRemove(path: Path): Path {
  const index = path.findIndex((step) => typeof step === 'number');
  return index < 0 ? path : path.slice(0, index + 1);
}

/** Longest prefix of `path` that exists in the document. */
function nearestExistingPath(document: unknown, path: Path): Path {
  let here = path;
  while (here.length > 0 && valueAt(document, here) === undefined) here = here.slice(0, -1);
  return here;
}

/**
 * Limit on the rounds of `repair`. Each round may remove the parent of the previous path, and documents have fewer
 * levels than this.
 */
const MAX_REPAIR_ROUNDS = 8;

/** Removes or replaces invalid values until the remaining document is valid. */
function repair<T>(document: unknown, entry: ContractWorkload, parse: (value: unknown) => z.ZodSafeParseResult<T>) {
  const leftOut: Path[] = [];
  let rest = document;
  for (let round = 0; round < MAX_REPAIR_ROUNDS; round += 1) {
    const parsed = parse(rest);
    if (parsed.success) return { filled: parsed.data, leftOut };
    const paths = uniquePaths(parsed.error.issues.flatMap((issue) => issuePaths(issue).map(pathToRemove)));
    const gone: Path[] = [];
    const added: { readonly path: Path; readonly value: unknown }[] = [];
    for (const path of paths) {
      const standIn = entry.standIns.find((required) => isWithin(required.path, path) || isWithin(path, required.path));
      if (standIn && valueAt(rest, path) === undefined) added.push(standIn);
      else gone.push(nearestExistingPath(rest, path));
    }
    rest = withoutPaths(rest, gone);
    for (const { path, value } of added) rest = withValueAt(rest, path, value);
    leftOut.push(...gone, ...added.map(({ path }) => path));
    if (rest === undefined) break;
  }
  return { filled: null, leftOut };
}

function issuePaths(issue: z.core.$ZodIssue): readonly Path[] {
  const path = issue.path as Path;
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path];
}

function uniquePaths(paths: readonly Path[]): Path[] {
  return [...new Map(paths.map((path) => [formatPath(path), path])).values()];
}

/** Validates any JSON value as a scenario. */
export function validateScenario(value: unknown): ValidationResult {
  const kind = kindOf(value);
  if (typeof kind !== 'string') return invalidResult([kind]);
  const entry: ContractWorkload = scenarioKinds[kind];
  const migrated = migrate(value as Readonly<Record<string, unknown>>, entry);
  if (!migrated.ok) return invalidResult(migrated.faults, kind);

  const schema: z.ZodType<ScenarioWithStaticDefaults> = scenarioKinds[kind].schema;
  const parsed = schema.safeParse(migrated.document);
  if (parsed.success) {
    const document = migrated.document as ScenarioDocument;
    return { kind, document, filled: parsed.data, leftOut: [], faults: [] };
  }
  const faults = explainIssues(schemaOfKind(kind), migrated.document, parsed.error);
  return { kind, document: null, faults, ...repair(migrated.document, entry, (rest) => schema.safeParse(rest)) };
}

/** Objects and lists are written on one line if it has at most this many columns. */
const LINE_WIDTH = 100;
const INDENT = '  ';

/** Formats a value on one line. Returns null as soon as the text exceeds `room` columns. */
function formatOnOneLine(value: unknown, room: number): string | null {
  if (typeof value !== 'object' || value === null) {
    const text = JSON.stringify(value);
    return text.length <= room ? text : null;
  }
  const isList = Array.isArray(value);
  const parts: string[] = [];
  let left = room - (isList ? 2 : 4);
  for (const [key, item] of isList ? value.entries() : Object.entries(value)) {
    const name = isList ? '' : `${JSON.stringify(key)}: `;
    const comma = parts.length === 0 ? 0 : 2;
    const text = formatOnOneLine(item, left - comma - name.length);
    if (text === null) return null;
    parts.push(name + text);
    left -= comma + name.length + text.length;
  }
  if (parts.length === 0) return room < 2 ? null : isList ? '[]' : '{}';
  return isList ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`;
}

function* formatJson(value: unknown, indent: string, before: number): YieldingTask<string> {
  yield;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (indent !== '') {
    const line = formatOnOneLine(value, LINE_WIDTH - before);
    if (line !== null) return line;
  }
  const inner = indent + INDENT;
  const isList = Array.isArray(value);
  const items: string[] = [];
  for (const [key, item] of isList ? value.entries() : Object.entries(value)) {
    const name = isList ? inner : `${inner}${JSON.stringify(key)}: `;
    items.push(name + (yield* formatJson(item, inner, name.length + 1)));
  }
  const [open, close] = isList ? '[]' : '{}';
  return items.length === 0 ? `${open}${close}` : `${open}\n${items.join(',\n')}\n${indent}${close}`;
}

/**
 * Formats the document as JSON, with keys in schema order and short objects on one line. Adds and omits nothing, even
 * if the document is invalid.
 */
export function formatScenario(document: unknown): string {
  return runToCompletion(formatScenarioInSteps(document));
}

/** Cooperative version of `formatScenario`: it yields regularly, so that long texts do not block the event loop. */
export function* formatScenarioInSteps(document: unknown): YieldingTask<string> {
  return `${yield* formatJson(yield* orderKeysInSteps(document), '', 0)}\n`;
}

/** Difference between two scenarios in one field, as text. */
interface Difference {
  /** Path as in files: `beam.energy_MeV`. */
  readonly path: string;
  /** Title of the field in the form, such as `Energy`; without one, the last key of its path. */
  readonly title: string;
  /** Values with units. */
  readonly before: string;
  readonly after: string;
  /** Document that lacks the field, so that its default applies; null if both contain it. */
  readonly absent: 'before' | 'after' | null;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isListOfObjects = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.some(isObject);

/** Paths of all leaves in either document. An interval counts as a leaf; lists of objects are descended into. */
function leafPaths(before: unknown, after: unknown, path: Path): readonly Path[] {
  if (isObject(before) || isObject(after)) {
    const keys = new Set([
      ...Object.keys(isObject(before) ? before : {}),
      ...Object.keys(isObject(after) ? after : {}),
    ]);
    return [...keys].flatMap((key) => leafPaths(valueAt(before, [key]), valueAt(after, [key]), [...path, key]));
  }
  if (isListOfObjects(before) || isListOfObjects(after)) {
    const length = Math.max(...[before, after].map((list) => (Array.isArray(list) ? list.length : 0)));
    return Array.from({ length }, (_, i) => leafPaths(valueAt(before, [i]), valueAt(after, [i]), [...path, i])).flat();
  }
  return [path];
}

function formatFieldValue(value: unknown, schema: JsonSchema | null): string {
  if (typeof value === 'number') return schema === null ? formatNumber(value) : formatWithUnit(value, unitOf(schema));
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((each) => typeof each === 'number')) {
    const unit = schema?.prefixItems?.[0] ?? (schema?.items || null);
    const numbers = value.map((each) => formatNumber(each)).join(', ');
    return `[${numbers}] ${unit === null ? '' : unitSymbols[unitOf(unit)]}`.trim();
  }
  return JSON.stringify(value) ?? '';
}

function formatDifferenceSide(value: unknown, schema: JsonSchema | null): string {
  if (value !== undefined) return formatFieldValue(value, schema);
  return schema?.default === undefined ? 'default' : `default (${formatFieldValue(schema.default, schema)})`;
}

/**
 * Differences in schema order. Documents are compared as written, after migration to the newest version. So an explicit
 * default differs from an absent field, but an older spelling of the same value does not.
 */
export function scenarioDifferences(before: unknown, after: unknown): readonly Difference[] {
  const [a, b] = [orderKeys(migrateIfPossible(before)), orderKeys(migrateIfPossible(after))];
  const kind = valueAt(b, ['kind']) ?? valueAt(a, ['kind']);
  // Merging both documents puts fields that only one of them has into schema order as well.
  const order = leafPaths(orderKeys(mergeDocuments(a, b)), undefined, []).map(formatPath);
  return leafPaths(a, b, [])
    .flatMap((path): readonly Difference[] => {
      const [old, now] = [valueAt(a, path), valueAt(b, path)];
      if (JSON.stringify(old) === JSON.stringify(now)) return [];
      const schemaIn = (document: unknown): JsonSchema | null =>
        isScenarioKind(kind) ? schemaAt(kind, path, document) : null;
      const [schemaBefore, schemaAfter] = [schemaIn(a), schemaIn(b)];
      const title = (schemaAfter ?? schemaBefore)?.title ?? String(path.at(-1) ?? '');
      const absent = old === undefined ? 'before' : now === undefined ? 'after' : null;
      return [
        {
          path: formatPath(path),
          title,
          before: formatDifferenceSide(old, schemaBefore ?? schemaAfter),
          after: formatDifferenceSide(now, schemaAfter ?? schemaBefore),
          absent,
        },
      ];
    })
    .sort((x, y) => order.indexOf(x.path) - order.indexOf(y.path));
}

/** Merges two documents, so that the result has every key of either. */
function mergeDocuments(a: unknown, b: unknown): unknown {
  if (isObject(a) && isObject(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return Object.fromEntries(keys.map((key) => [key, mergeDocuments(a[key], b[key])]));
  }
  if (isListOfObjects(a) && isListOfObjects(b)) {
    return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => mergeDocuments(a[i], b[i]));
  }
  return b ?? a;
}

export {
  formatPath,
  isWithin,
  type Path,
  type PathStep,
  parsePath,
  valueAt,
  withValueAt,
} from '../../domain/values/path.ts';
/** Parts of the scenario contract that all processes may import. */
export { type ImageGeometry, imageGeometry } from './diffraction/geometry.ts';
export type { DiffractionDocument, DiffractionScenario, DiffractionWithStaticDefaults } from './diffraction/index.ts';
export {
  type FieldIssue,
  fieldIssue,
  fieldWarning,
  formatIssue,
  formatValue,
  missingIssue,
  suggestSimilarWord,
  unknownVariantIssues,
} from './field-issue.ts';
export {
  defaultKind,
  isScenarioKind,
  kindOfDocument,
  newDocument,
  type ScenarioDocument,
  type ScenarioKindName,
  type ScenarioWithStaticDefaults,
  scenarioKindNames,
  scenarioKinds,
  scenarioSchema,
  type TaskDocument,
  type TaskScenario,
} from './kinds.ts';
export {
  type Composition,
  elements,
  elementWithSymbol,
  isElement,
  type MaterialName,
  massFractions,
  materialNames,
  materialSummaries,
  parseFormula,
} from './materials.ts';
export { migrateIfPossible } from './migrate.ts';
export {
  branchFor,
  describeAllowed,
  type JsonSchema,
  publishedSchema,
  schemaAt,
  schemaOfKind,
  unitOf,
} from './schema.ts';
export type { TaskValue } from './task/workload.ts';
export { type Spot, spotListSchema } from './transport/beam.ts';
export type { UserMaterial } from './transport/geometry.ts';
export {
  type CtPlacement,
  cellLimits_mm,
  depthLimits_mm,
  huTableSchema,
  widthLimits_mm,
} from './transport/geometry.ts';
export {
  type CompleteBeam,
  spotsOf,
  type TransportDocument,
  type TransportScenario,
  type TransportWithBeam,
  type TransportWithStaticDefaults,
} from './transport/index.ts';
export type { ContractWorkload } from './workload.ts';
