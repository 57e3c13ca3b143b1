/**
 * Parses the text of a scenario file to a plain document, and finds the line of an error from its path in the document.
 */
import { extname } from 'node:path';
import type { Issue } from '../../../contract/errors.ts';
import { type FieldIssue, formatPath } from '../../../contract/scenario/index.ts';
import { parseJson } from '../../io/text/json.ts';
import { MAX_SCENARIO_BYTES } from '../../io/text/read.ts';
import {
  countValues,
  duplicateKeys,
  findObjectWithMoreKeys,
  LineIndex,
  lineStarts,
  offsetOfPath,
  parseYaml,
  plainValue,
  type SourceNode,
  type TextError,
} from '../../io/text/source.ts';
import { defineThreadTask } from '../../io/threads/task.ts';

/** Maximum number of reported errors. Nobody reads more, and a malicious file could cause very many. */
const maxIssues = 200;

interface ParsedDocument {
  /** Content of the document as plain JSON values; undefined if the text has a syntax error. */
  readonly value: unknown;
  /** Errors in the text, such as wrong syntax and duplicate keys. */
  readonly issues: readonly Issue[];
  /** Converts an error at a path in the document to an issue at a line of the text. */
  readonly locate: (fault: FieldIssue) => Issue;
}

/**
 * Whether a text is parsed as JSON instead of YAML: by the file's extension, or for unknown extensions by its first
 * character.
 */
function isJson(name: string, text: string): boolean {
  const extension = extname(name).toLowerCase();
  if (extension === '.json') return true;
  if (extension === '.yaml' || extension === '.yml') return false;
  return /^\s*\{/.test(text);
}

/** Converts an error to an issue without a line. */
export function toIssue(fault: FieldIssue, file: string | null): Issue {
  const { severity, message, value, allowed } = fault;
  return { severity, file, path: formatPath(fault.path), line: null, column: null, message, value, allowed };
}

function limitIssues<T>(all: readonly T[], rest: (count: number) => T): readonly T[] {
  return all.length <= maxIssues ? all : [...all.slice(0, maxIssues), rest(all.length - maxIssues)];
}

/**
 * Maximum number of values in a document, enough for ten thousand spots with three values each. The limit stops small
 * files that expand to large documents.
 */
const maxValues = 50_000;

/** Maximum number of keys in an object; scenarios need about twenty. */
const maxKeys = 1000;

/** Parsed text as plain values, which a worker thread can send. */
interface TextParts {
  readonly root: SourceNode | null;
  readonly issues: readonly Issue[];
  readonly lineStarts: Uint32Array;
}

function sizeError(root: SourceNode): TextError | null {
  if (countValues(root, maxValues) > maxValues) {
    return { at: root.at, message: `contains more than ${maxValues} values, the limit for scenarios` };
  }
  const at = findObjectWithMoreKeys(root, maxKeys);
  return at === null ? null : { at, message: `has more than ${maxKeys} keys in one object, the limit for scenarios` };
}

function parseParts(text: string, name: string): TextParts {
  const content = text.startsWith('\uFEFF') ? text.slice(1) : text;
  // The size limit of files applies also to text that a page sends.
  if (content.length > MAX_SCENARIO_BYTES) {
    const message = `is larger than ${MAX_SCENARIO_BYTES / 1024} KiB, the limit for scenarios`;
    const foundIssue: FieldIssue = { severity: 'error', path: [], atKey: false, message, value: null, allowed: null };
    return { root: null, issues: [toIssue(foundIssue, name)], lineStarts: lineStarts('') };
  }
  const { root, faults } = isJson(name, content) ? parseJson(content) : parseYaml(content);
  const starts = lineStarts(content);
  const lines = new LineIndex(starts);
  const textIssue = ({ at, message }: TextError): Issue => ({
    severity: 'error',
    file: name,
    path: '',
    ...lines.positionOf(at),
    message,
    value: null,
    allowed: null,
  });
  const large = root === null ? null : sizeError(root);
  if (large !== null) return { root: null, issues: [textIssue(large)], lineStarts: starts };
  const all = root === null ? faults : [...faults, ...duplicateKeys(root)];
  const issues = limitIssues(all.map(textIssue), (count) => textIssue({ at: 0, message: `and ${count} more issues` }));
  return { root, issues, lineStarts: starts };
}

function toParsedDocument({ root, issues, lineStarts: starts }: TextParts, name: string): ParsedDocument {
  const lines = new LineIndex(starts);
  return {
    value: root === null ? undefined : plainValue(root),
    issues,
    locate: (fault) => {
      const issue = toIssue(fault, name);
      return root === null ? issue : { ...issue, ...lines.positionOf(offsetOfPath(root, fault.path, fault.atKey)) };
    },
  };
}

/** Parses a text. `name` is the name of the file that is shown to the user. */
function parseText(text: string, name: string): ParsedDocument {
  return toParsedDocument(parseParts(text, name), name);
}

const parseOnThread = defineThreadTask(
  'read a scenario',
  ({ text, name }: { readonly text: string; readonly name: string }) => parseParts(text, name),
);

/**
 * Maximum length of a text that is parsed in the current thread. That needs 15 ms, less than starting a worker thread.
 * A megabyte of YAML would need three seconds.
 */
const SMALL_CHARACTERS = 6_000;

/** Like `parseText`, but parses a long text on a worker thread. */
export async function parseTextOnThread(text: string, name: string): Promise<ParsedDocument> {
  if (text.length <= SMALL_CHARACTERS || text.length > MAX_SCENARIO_BYTES + 1) return parseText(text, name);
  return toParsedDocument(await parseOnThread({ text, name }), name);
}
