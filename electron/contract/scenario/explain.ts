/** Converts zod issues to sentences that contain the rejected value and the allowed values. */
import type { z } from 'zod';
import { formatPath, type Path, type PathStep, valueAt } from '../../domain/values/path.ts';
import { formatWithUnit } from '../../domain/values/units.ts';
import { type FieldIssue, fieldIssue, formatValue, missingIssue, suggestSimilarWord } from './field-issue.ts';
import { branchFor, describeAllowed, type JsonSchema, schemaAtPath, unitOf } from './schema.ts';

const typeNames: Readonly<Record<string, string>> = {
  number: 'a number',
  integer: 'a whole number',
  string: 'text',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
};

function isOfType(value: unknown, type: string): boolean {
  if (type === 'number' || type === 'integer') return typeof value === 'number';
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function explainUnknownWord(path: Path, value: unknown, words: readonly unknown[], allowed: string): FieldIssue {
  if (typeof value !== 'string') return fieldIssue(path, value, 'is not allowed here', allowed);
  const near = suggestSimilarWord(value, words.map(String));
  return fieldIssue(path, value, near === null ? 'is not known' : `is not known (did you mean ${near}?)`, allowed);
}

function allowedWords(schema: JsonSchema): readonly unknown[] {
  return [...(schema.enum ?? []), ...(schema.anyOf ?? []).flatMap((branch) => branch.enum ?? [])];
}

/** Describes why a value was rejected, using its schema. */
function explainRejected(path: Path, value: unknown, schema: JsonSchema): FieldIssue {
  const allowed = describeAllowed(schema);
  if (value === undefined) return missingIssue(path, allowed);
  const words = allowedWords(schema);
  if (words.length > 0) return explainUnknownWord(path, value, words, allowed);
  if (schema.type !== undefined && !isOfType(value, schema.type)) {
    return fieldIssue(path, value, `is not ${typeNames[schema.type] ?? schema.type}`, allowed);
  }
  if (typeof value === 'number') return explainRejectedNumber(path, value, schema, allowed);
  if (typeof value === 'string' && schema.maxLength !== undefined && value.length > schema.maxLength) {
    return fieldIssue(path, value, `has ${value.length} characters`, allowed);
  }
  if (Array.isArray(value))
    return fieldIssue(path, value, `has ${value.length} ${value.length === 1 ? 'entry' : 'entries'}`, allowed);
  return fieldIssue(path, value, 'is not allowed here', allowed);
}

function explainRejectedNumber(path: Path, value: number, schema: JsonSchema, allowed: string): FieldIssue {
  if (!Number.isFinite(value)) return fieldIssue(path, value, 'is not a finite number', allowed);
  const shown = formatWithUnit(value, unitOf(schema));
  const says =
    schema.maximum !== undefined && value > schema.maximum
      ? 'is too large'
      : schema.minimum !== undefined && value < schema.minimum
        ? 'is too small'
        : schema.type === 'integer'
          ? 'is not a whole number'
          : 'is not allowed';
  return { ...fieldIssue(path, value, says, allowed), message: `${shown} ${says}; allowed: ${allowed}` };
}

function explainUnknownKey(path: Path, key: string, value: unknown, schema: JsonSchema | null): FieldIssue {
  const known = Object.keys(schema?.properties ?? {}).filter((name) => name !== '$schema');
  const near = suggestSimilarWord(key, known);
  const allowed = known.join(', ');
  return {
    severity: 'error',
    path: [...path, key],
    atKey: true,
    message: `${near === null ? 'is not a known key' : `is not a known key (did you mean ${near}?)`}; allowed here: ${allowed}`,
    value: formatValue(value),
    allowed,
  };
}

/** Values of the discriminator in the branches of a union. */
function discriminatorValues(union: JsonSchema | null, discriminator: string): readonly string[] {
  const all = union?.oneOf ?? union?.anyOf ?? [];
  return all.map((branch) => String(branch.properties?.[discriminator]?.const));
}

type ZodIssue = z.core.$ZodIssue;

/** Issues of the one union branch whose type matches the value; null if no branch or several branches match. */
function issuesOfMatchingBranch(errors: readonly (readonly ZodIssue[])[]): readonly ZodIssue[] | null {
  const deep = errors.filter((issues) =>
    issues.every((issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys'),
  );
  return deep.length === 1 ? (deep[0] ?? null) : null;
}

/** Limit on reported issues, because a hostile file could cause very many. */
const MAX_ISSUES = 200;

function explainIssue(root: JsonSchema, document: unknown, issue: ZodIssue, base: Path): readonly FieldIssue[] {
  const path = [...base, ...(issue.path as readonly PathStep[])];
  const schema = schemaAtPath(root, path, document);
  const value = valueAt(document, path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => {
        const owner = schema === null ? null : branchFor(schema, value);
        return explainUnknownKey(path, key, valueAt(value, [key]), owner);
      });
    case 'custom':
      if (value === undefined) return [missingIssue(path, String(issue.params?.['allowed'] ?? ''))];
      return [fieldIssue(path, value, issue.message, String(issue.params?.['allowed'] ?? ''))];
    case 'invalid_union': {
      if (issue.discriminator !== undefined) {
        const owner = schemaAtPath(root, path.slice(0, -1), document);
        const words = discriminatorValues(owner, issue.discriminator);
        if (value === undefined) return [missingIssue(path, words.join(' or '))];
        return [explainUnknownWord(path, value, words, words.join(' or '))];
      }
      const meant = issuesOfMatchingBranch(issue.errors);
      if (meant) return meant.flatMap((inner) => explainIssue(root, document, inner, path));
      return [explainRejected(path, value, schema ?? {})];
    }
    default:
      return [explainRejected(path, value, schema ?? {})];
  }
}

/** Splits an issue about several unknown keys into one per key, so that each has its own path. */
function splitUnknownKeys(issue: ZodIssue): readonly ZodIssue[] {
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => ({ ...issue, keys: [key] })) : [issue];
}

/**
 * Converts zod issues to messages, one per path. Beyond `MAX_ISSUES`, only their number is reported. `root` is the JSON
 * Schema that corresponds to the zod schema.
 */
export function explainIssues(root: JsonSchema, document: unknown, error: z.ZodError): readonly FieldIssue[] {
  const faults = new Map<string, FieldIssue>();
  const issues = error.issues.flatMap(splitUnknownKeys);
  for (const [i, issue] of issues.entries()) {
    if (faults.size >= MAX_ISSUES) {
      const message = `and ${issues.length - i} more issues`;
      return [...faults.values(), { severity: 'error', path: [], atKey: false, message, value: null, allowed: null }];
    }
    for (const found of explainIssue(root, document, issue, [])) {
      const key = formatPath(found.path);
      if (!faults.has(key)) faults.set(key, found);
    }
  }
  return [...faults.values()];
}
