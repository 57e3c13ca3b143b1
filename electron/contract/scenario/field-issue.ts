/**
 * Issues of a document by path, before file and line are known, and their text. Also suggestions for misspelled words
 * ("did you mean").
 */

import type { Path } from '../../domain/values/path.ts';
import { formatNumber } from '../../domain/values/units.ts';
import type { Issue } from '../errors.ts';

const MAX_VALUE_LENGTH = 60;

/** Formats a value as JSON and shortens it, for messages. NaN and infinities are shown by name. */
export function formatValue(value: unknown): string {
  if (typeof value === 'number') return formatNumber(value);
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= MAX_VALUE_LENGTH ? text : `${text.slice(0, MAX_VALUE_LENGTH - 1)}…`;
}

/** Formats an issue as `file:line:column: path: message`, omitting unknown parts. */
export function formatIssue(issue: Issue): string {
  let place = issue.file ?? '';
  if (issue.line !== null) place += `:${issue.line}`;
  if (issue.line !== null && issue.column !== null) place += `:${issue.column}`;
  return [place, issue.path, issue.message].filter((part) => part !== '').join(': ');
}

/** Optimal string alignment distance: insertions, deletions, substitutions, and swaps of neighbouring characters. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (before[j - 2] ?? 0) + 1);
      row.push(best);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}

/**
 * Longest word to compare, in characters. Longer words are never misspellings, and comparing them would waste time.
 */
const MAX_WORD_LENGTH = 64;

/**
 * Returns the candidate nearest to `word`, or null if none is similar. At most a third of the letters may differ,
 * ignoring case and separators. A prefix matches too: `dx` suggests `dx_mm`.
 */
export function suggestSimilarWord(word: string, candidates: readonly string[]): string | null {
  if (word.length === 0 || word.length > MAX_WORD_LENGTH) return null;
  const plain = (text: string): string => text.toLowerCase().replace(/[_\-\s]/g, '');
  const wanted = plain(word);
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const known = plain(candidate);
    const unitLeftOut = candidate.toLowerCase().startsWith(`${word.toLowerCase()}_`);
    const beginning = unitLeftOut || (wanted.length >= 3 && (known.startsWith(wanted) || wanted.startsWith(known)));
    const distance = beginning ? Math.min(1, editDistance(wanted, known)) : editDistance(wanted, known);
    const near = distance <= Math.max(1, Math.floor(Math.max(wanted.length, known.length) / 3));
    if (near && distance < wanted.length && distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

export interface FieldIssue {
  readonly severity: 'error' | 'warning';
  readonly path: Path;
  /** If true, the key is invalid; otherwise its value is. */
  readonly atKey: boolean;
  readonly message: string;
  readonly value: string | null;
  readonly allowed: string | null;
}

/** Creates an error about the value at `path`, with the text "`value` `says`; allowed: `allowed`". */
export function fieldIssue(path: Path, value: unknown, says: string, allowed: string): FieldIssue {
  const shown = formatValue(value);
  return {
    severity: 'error',
    path,
    atKey: false,
    message: `${shown} ${says}; allowed: ${allowed}`,
    value: shown,
    allowed,
  };
}

/** Creates a warning about the value at `path`, which is used nevertheless. */
export function fieldWarning(path: Path, value: unknown, message: string): FieldIssue {
  return { severity: 'warning', path, atKey: false, message, value: formatValue(value), allowed: null };
}

/** Creates an error if the variant is neither `auto` nor one of `variants`. */
export function unknownVariantIssues(variant: string, variants: readonly string[]): readonly FieldIssue[] {
  const known = ['auto', ...variants];
  if (known.includes(variant)) return [];
  const near = suggestSimilarWord(variant, known);
  const says = near === null ? 'is not known' : `is not known (did you mean ${near}?)`;
  return [fieldIssue(['solver', 'variant'], variant, says, known.join(', '))];
}

/** Creates an error about a missing required key. */
export function missingIssue(path: Path, allowed: string): FieldIssue {
  return { severity: 'error', path, atKey: true, message: `is missing; needed: ${allowed}`, value: null, allowed };
}
