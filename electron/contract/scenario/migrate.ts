/** Migrates documents of older versions to the newest version, step by step. */

import { valueAt } from '../../domain/values/path.ts';
import { type FieldIssue, fieldIssue, missingIssue, suggestSimilarWord } from './field-issue.ts';
import { isScenarioKind, type ScenarioKindName, scenarioKindNames, scenarioKinds } from './kinds.ts';
import { joinWithOr } from './schema.ts';
import type { ContractWorkload } from './workload.ts';

type MigrationResult =
  | { readonly ok: true; readonly document: Readonly<Record<string, unknown>>; readonly from: number }
  | { readonly ok: false; readonly faults: readonly FieldIssue[] };

function rejectDocument(...faults: readonly FieldIssue[]): MigrationResult {
  return { ok: false, faults };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the kind that a document states, or an error if it states none. */
export function kindOf(document: unknown): ScenarioKindName | FieldIssue {
  const allowed = joinWithOr(scenarioKindNames);
  if (!isRecord(document))
    return fieldIssue([], document, 'is not a scenario', 'an object with kind, version and beam');
  const kind = valueAt(document, ['kind']);
  if (isScenarioKind(kind)) return kind;
  if (kind === undefined) return missingIssue(['kind'], allowed);
  const near = typeof kind === 'string' ? suggestSimilarWord(kind, scenarioKindNames) : null;
  return fieldIssue(['kind'], kind, near === null ? 'is not known' : `is not known (did you mean ${near}?)`, allowed);
}

/** Applies all migrations from the document's version to the newest. */
export function migrate(document: Readonly<Record<string, unknown>>, kind: ContractWorkload): MigrationResult {
  const newest = kind.version;
  const oldest = Math.min(newest, ...Object.keys(kind.migrations).map(Number));
  const allowed = oldest === newest ? String(newest) : `${oldest} to ${newest}`;
  const version = valueAt(document, ['version']);
  if (version === undefined) return rejectDocument(missingIssue(['version'], String(newest)));
  if (typeof version !== 'number' || !Number.isInteger(version)) {
    return rejectDocument(fieldIssue(['version'], version, 'is not a valid version', allowed));
  }
  if (version > newest) {
    return rejectDocument(
      fieldIssue(
        ['version'],
        version,
        'is newer than this program and cannot be read safely: update Braggbench',
        allowed,
      ),
    );
  }
  if (version < oldest) return rejectDocument(fieldIssue(['version'], version, 'never existed', allowed));
  let current = document;
  for (let v = version; v < newest; v += 1) {
    const step = kind.migrations[v];
    if (step === undefined) throw new Error(`the migration from version ${v} to ${v + 1} is missing`);
    current = { ...step(current), version: v + 1 };
  }
  return { ok: true, document: current, from: version };
}

/**
 * Migrates a document so that it can be compared with another one. A document that cannot be migrated is returned
 * unchanged.
 */
export function migrateIfPossible(document: unknown): unknown {
  const kind = kindOf(document);
  if (typeof kind !== 'string' || !isRecord(document)) return document;
  const migrated = migrate(document, scenarioKinds[kind]);
  return migrated.ok ? migrated.document : document;
}
