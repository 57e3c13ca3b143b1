/** Text of an issue: shortened values, and the single line printed in a terminal. */
import type { Issue } from '../errors.ts';
import { formatNumber } from '../units.ts';

const longestValue = 60;

/** A value as JSON for a message, cut to a readable length; numbers that JSON lacks by name. */
export function showValue(value: unknown): string {
  if (typeof value === 'number') return formatNumber(value);
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= longestValue ? text : `${text.slice(0, longestValue - 1)}…`;
}

/** `file:line:column: path: message`, with what is not known left out. */
export function formatIssue(issue: Issue): string {
  let place = issue.file ?? '';
  if (issue.line !== null) place += `:${issue.line}`;
  if (issue.line !== null && issue.column !== null) place += `:${issue.column}`;
  return [place, issue.path, issue.message].filter((part) => part !== '').join(': ');
}
