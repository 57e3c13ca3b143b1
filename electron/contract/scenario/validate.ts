/** Checks a document against the schema of its kind. What depends on the tables is the host's to check. */
import type { z } from 'zod';
import { explain } from './explain.ts';
import type { Fault } from './fault.ts';
import { schemaOfKind } from './json-schema.ts';
import { type ScenarioDocument, type ScenarioKindName, type ScenarioWithConstants, scenarioKinds } from './kinds.ts';
import { kindOf, migrate } from './migrate.ts';
import { formatPath, isWithin, type Path, valueAt, withoutPaths, withValueAt } from './path.ts';
import type { ContractWorkload } from './workload.ts';

export interface Validated {
  readonly kind: ScenarioKindName | null;
  /** The document in the newest version if it is valid, with nothing added. */
  readonly document: ScenarioDocument | null;
  /**
   * With constants filled in, and with what was at fault left out where it has a
   * default: checks can go on to find further faults. Null if the rest is no scenario either.
   */
  readonly filled: ScenarioWithConstants | null;
  /** Paths that were left out of `filled`. */
  readonly leftOut: readonly Path[];
  readonly faults: readonly Fault[];
}

function nothing(faults: readonly Fault[], kind: ScenarioKindName | null = null): Validated {
  return { kind, document: null, filled: null, leftOut: [], faults };
}

/** A list entry cannot be left out piece by piece: the whole entry goes. */
function removable(path: Path): Path {
  const index = path.findIndex((step) => typeof step === 'number');
  return index < 0 ? path : path.slice(0, index + 1);
}

/** The nearest of `path` and its ancestors that is in the document. */
function present(document: unknown, path: Path): Path {
  let here = path;
  while (here.length > 0 && valueAt(document, here) === undefined) here = here.slice(0, -1);
  return here;
}

/** Each round leaves out what was at fault, or what held it; documents are not nested deeper than this. */
const mostRounds = 8;

/** Leaves out values at fault until the rest is valid. */
function repair<T>(document: unknown, entry: ContractWorkload, parse: (value: unknown) => z.ZodSafeParseResult<T>) {
  const leftOut: Path[] = [];
  let rest = document;
  for (let round = 0; round < mostRounds; round += 1) {
    const parsed = parse(rest);
    if (parsed.success) return { filled: parsed.data, leftOut };
    const paths = unique(parsed.error.issues.flatMap((issue) => faultPaths(issue).map(removable)));
    const gone: Path[] = [];
    const added: { readonly path: Path; readonly value: unknown }[] = [];
    for (const path of paths) {
      const standIn = entry.standIns.find((required) => isWithin(required.path, path) || isWithin(path, required.path));
      if (standIn && valueAt(rest, path) === undefined) added.push(standIn);
      else gone.push(present(rest, path));
    }
    rest = withoutPaths(rest, gone);
    for (const { path, value } of added) rest = withValueAt(rest, path, value);
    leftOut.push(...gone, ...added.map(({ path }) => path));
    if (rest === undefined) break;
  }
  return { filled: null, leftOut };
}

function faultPaths(issue: z.core.$ZodIssue): readonly Path[] {
  const path = issue.path as Path;
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path];
}

function unique(paths: readonly Path[]): Path[] {
  return [...new Map(paths.map((path) => [formatPath(path), path])).values()];
}

/** `value` is plain JSON from anywhere. */
export function validateScenario(value: unknown): Validated {
  const kind = kindOf(value);
  if (typeof kind !== 'string') return nothing([kind]);
  const entry: ContractWorkload = scenarioKinds[kind];
  const migrated = migrate(value as Readonly<Record<string, unknown>>, entry);
  if (!migrated.ok) return nothing(migrated.faults, kind);

  const schema: z.ZodType<ScenarioWithConstants> = scenarioKinds[kind].schema;
  const parsed = schema.safeParse(migrated.document);
  if (parsed.success) {
    const document = migrated.document as ScenarioDocument;
    return { kind, document, filled: parsed.data, leftOut: [], faults: [] };
  }
  const faults = explain(schemaOfKind(kind), migrated.document, parsed.error);
  return { kind, document: null, faults, ...repair(migrated.document, entry, (rest) => schema.safeParse(rest)) };
}
