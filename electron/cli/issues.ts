/** Prints input errors with their locations. */
import type { BraggError, Issue } from '../contract/errors.ts';
import { formatIssue } from '../contract/scenario/index.ts';
import type { Terminal } from './terminal.ts';

type Style = (style: 'red' | 'yellow' | 'bold', text: string) => string;

/** One line: `error` or `warning`, the place, what is wrong and what is allowed. */
export function issueLine(issue: Issue, style: Style): string {
  const word = issue.severity === 'error' ? style('red', 'error') : style('yellow', 'warning');
  return `${word} ${formatIssue(issue)}`;
}

/** Prints issues of the input to standard error, separate from the result. */
export function sayIssues(terminal: Terminal, issues: readonly Issue[]): void {
  for (const issue of issues) terminal.say(issueLine(issue, (style, text) => terminal.styleSaid(style, text)));
}

/** An error as scripts get it with --json. */
export function errorDocument(error: BraggError): object {
  return { error: { code: error.code, message: error.message, issues: error.issues } };
}

/** Errors whose cause lies in what the user gave. */
export function isBadInput(error: BraggError): boolean {
  return ['invalid', 'unsupported', 'memory', 'not-found', 'untrusted', 'foreign-file', 'exists'].includes(error.code);
}
