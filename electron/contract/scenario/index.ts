import type { z } from 'zod';
import { formatPath, isWithin, type Path, valueAt, withoutPaths, withValueAt } from '../../domain/values/path.ts';
import { runToCompletion, type YieldingTask } from '../../domain/values/pausing.ts';
import { formatNumber, unitSymbols, withUnit } from '../../domain/values/units.ts';
import { explainIssues } from './explain.ts';
import type { FieldIssue } from './field-issue.ts';
import {
  isScenarioKind,
  type ScenarioDocument,
  type ScenarioKindName,
  type ScenarioWithStaticDefaults,
  scenarioKinds,
} from './kinds.ts';
import { asCurrentVersion, kindOf, migrate } from './migrate.ts';
import { type JsonSchema, orderKeys, schemaAt, schemaOfKind, stableOrderInSteps, unitOf } from './schema.ts';
import type { ContractWorkload } from './workload.ts';

/** Checks a document against the schema of its kind. Checks that depend on material tables are done by the host. */
export interface ValidationResult {
  readonly kind: ScenarioKindName | null;
  /** Document in the newest version if it is valid, with no defaults added. */
  readonly document: ScenarioDocument | null;
  /**
   * Scenario with constants filled in. Invalid values are omitted if they have a default, so that checks can find
   * further errors. Null if the remaining values are no valid scenario.
   */
  readonly filled: ScenarioWithStaticDefaults | null;
  /** Paths that were omitted from `filled`. */
  readonly leftOut: readonly Path[];
  readonly faults: readonly FieldIssue[];
}

function invalidResult(faults: readonly FieldIssue[], kind: ScenarioKindName | null = null): ValidationResult {
  return { kind, document: null, filled: null, leftOut: [], faults };
}

/** Path to remove for an invalid value: within a list entry, the whole entry. */
function pathToRemove(path: Path): Path {
  const index = path.findIndex((step) => typeof step === 'number');
  return index < 0 ? path : path.slice(0, index + 1);
}

/** Returns the nearest of `path` and its ancestors that exists in the document. */
function nearestExistingPath(document: unknown, path: Path): Path {
  let here = path;
  while (here.length > 0 && valueAt(document, here) === undefined) here = here.slice(0, -1);
  return here;
}

/** Each round omits invalid values or their parents; documents are not nested deeper than this. */
const maxRounds = 8;

/** Omits or replaces invalid values until the remaining document is valid. */
function repair<T>(document: unknown, entry: ContractWorkload, parse: (value: unknown) => z.ZodSafeParseResult<T>) {
  const leftOut: Path[] = [];
  let rest = document;
  for (let round = 0; round < maxRounds; round += 1) {
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

/** Validates `value`, which may be any JSON. */
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

// Text of a scenario file.

/** Objects and lists that fit into this many columns stay on one line. */
const lineWidth = 100;
const indentStep = '  ';

/** Formats a value on one line; null if it needs more than `room` columns, where formatting stops. */
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

function* printJson(value: unknown, indent: string, before: number): YieldingTask<string> {
  yield;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (indent !== '') {
    const line = formatOnOneLine(value, lineWidth - before);
    if (line !== null) return line;
  }
  const inner = indent + indentStep;
  const isList = Array.isArray(value);
  const items: string[] = [];
  for (const [key, item] of isList ? value.entries() : Object.entries(value)) {
    const name = isList ? inner : `${inner}${JSON.stringify(key)}: `;
    items.push(name + (yield* printJson(item, inner, name.length + 1)));
  }
  const [open, close] = isList ? '[]' : '{}';
  return items.length === 0 ? `${open}${close}` : `${open}\n${items.join(',\n')}\n${indent}${close}`;
}

/**
 * The document as JSON: keys in schema order, short objects on one line, a line feed at the end. Writes exactly the
 * contents of the document, even if they are invalid.
 */
export function writeScenarioText(document: unknown): string {
  return runToCompletion(scenarioTextInSteps(document));
}

/** Cooperative version of `writeScenarioText`, which yields so that the event loop is not blocked. */
export function* scenarioTextInSteps(document: unknown): YieldingTask<string> {
  return `${yield* printJson(yield* stableOrderInSteps(document), '', 0)}\n`;
}

/** Difference between two scenarios in one field, formatted for people. */
interface Difference {
  /** Path as in files: `beam.energy_MeV`. */
  readonly path: string;
  /** Field title as in the form: `Energy`; if the schema has none, the last key of the path. */
  readonly title: string;
  /** Values with units. */
  readonly before: string;
  readonly after: string;
  /** Side on which the field is absent, so that its default applies. */
  readonly absent: 'before' | 'after' | null;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isListOfObjects = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.some(isObject);

/** Paths of all leaves of either document. An interval is one leaf; a list of regions is not. */
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
  if (typeof value === 'number') return schema === null ? formatNumber(value) : withUnit(value, unitOf(schema));
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
 * Differences in the order of the schema. Documents are compared as written, after migration to the newest version. A
 * default that only one of them writes explicitly counts as a difference; an older spelling of the same value does not.
 */
export function scenarioDifferences(before: unknown, after: unknown): readonly Difference[] {
  const [a, b] = [orderKeys(asCurrentVersion(before)), orderKeys(asCurrentVersion(after))];
  const kind = valueAt(b, ['kind']) ?? valueAt(a, ['kind']);
  // Merged fields of both, so that a field present on only one side is placed in schema order.
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

/** Merges two documents so that every key of either is present. */
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
/** Scenario contract for all processes. */
export { type ImageGeometry, imageGeometry } from './diffraction/geometry.ts';
export type { DiffractionDocument, DiffractionScenario, DiffractionWithStaticDefaults } from './diffraction/index.ts';
export {
  type FieldIssue,
  fieldIssue,
  formatIssue,
  missingIssue,
  showValue,
  suggest,
  unknownVariant,
  warning,
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
  atomsOf,
  type Composition,
  compositionOfAtoms,
  elementOf,
  elements,
  isElement,
  type MaterialName,
  materialNames,
  materialSummaries,
} from './materials.ts';
export { asCurrentVersion } from './migrate.ts';
export { allowedText, branchFor, type JsonSchema, publishedSchema, schemaAt, schemaOfKind, unitOf } from './schema.ts';
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
