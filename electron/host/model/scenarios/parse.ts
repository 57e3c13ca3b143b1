/** Text of a scenario file to a plain document, with a way back from paths to lines. */
import { extname } from 'node:path';
import type { Issue } from '../../../contract/errors.ts';
import { type Fault, formatPath } from '../../../contract/scenario/index.ts';
import { aside } from '../../io/aside/task.ts';
import { parseJson } from '../../io/text/json.ts';
import { largestText_bytes } from '../../io/text/read.ts';
import {
  countValues,
  duplicateKeys,
  firstWithMoreKeys,
  LineIndex,
  lineStarts,
  offsetOf,
  plainValue,
  type SourceNode,
  type TextFault,
} from '../../io/text/source.ts';
import { parseYaml } from '../../io/text/yaml.ts';

/** Limit of reported errors: nobody reads more, and a hostile file could cause very many. */
const mostFaults = 200;

interface ParsedDocument {
  /** Plain JSON; undefined when the text is no document. */
  readonly value: unknown;
  /** Errors in the text itself: syntax, duplicate keys. */
  readonly issues: readonly Issue[];
  /** Converts an error at a path to an issue with its line. */
  readonly locate: (fault: Fault) => Issue;
}

/** By the file's name; where that does not tell, by whether it begins like JSON. */
function isJson(name: string, text: string): boolean {
  const extension = extname(name).toLowerCase();
  if (extension === '.json') return true;
  if (extension === '.yaml' || extension === '.yml') return false;
  return /^\s*\{/.test(text);
}

/** An issue without a place in a text. */
export function issueAt(fault: Fault, file: string | null): Issue {
  const { severity, message, value, allowed } = fault;
  return { severity, file, path: formatPath(fault.path), line: null, column: null, message, value, allowed };
}

function few<T>(all: readonly T[], rest: (count: number) => T): readonly T[] {
  return all.length <= mostFaults ? all : [...all.slice(0, mostFaults), rest(all.length - mostFaults)];
}

/** Ten thousand spots have three each. With more a small file would be a large document. */
const mostValues = 50_000;

/** The largest object of a scenario has some twenty. */
const mostKeys = 1000;

/** Parsed text as plain values, as returned from a worker thread. */
interface TextParts {
  readonly root: SourceNode | null;
  readonly issues: readonly Issue[];
  readonly lineStarts: Uint32Array;
}

function tooMuch(root: SourceNode): TextFault | null {
  if (countValues(root, mostValues) > mostValues) {
    return { at: root.at, message: `holds more than ${mostValues} values, which no scenario does` };
  }
  const at = firstWithMoreKeys(root, mostKeys);
  return at === null ? null : { at, message: `has more than ${mostKeys} keys in one object, which no scenario has` };
}

function partsOf(text: string, name: string): TextParts {
  const content = text.startsWith('\uFEFF') ? text.slice(1) : text;
  // Text that a page hands over may be as long as that of a file, and no longer.
  if (content.length > largestText_bytes) {
    const message = `is larger than ${largestText_bytes / 1024} KiB, which no scenario is`;
    const said: Fault = { severity: 'error', path: [], atKey: false, message, value: null, allowed: null };
    return { root: null, issues: [issueAt(said, name)], lineStarts: lineStarts('') };
  }
  const { root, faults } = isJson(name, content) ? parseJson(content) : parseYaml(content);
  const starts = lineStarts(content);
  const lines = new LineIndex(starts);
  const textIssue = ({ at, message }: TextFault): Issue => ({
    severity: 'error',
    file: name,
    path: '',
    ...lines.at(at),
    message,
    value: null,
    allowed: null,
  });
  const large = root === null ? null : tooMuch(root);
  if (large !== null) return { root: null, issues: [textIssue(large)], lineStarts: starts };
  const all = root === null ? faults : [...faults, ...duplicateKeys(root)];
  const issues = few(all.map(textIssue), (count) => textIssue({ at: 0, message: `and ${count} more faults` }));
  return { root, issues, lineStarts: starts };
}

function documentOf({ root, issues, lineStarts: starts }: TextParts, name: string): ParsedDocument {
  const lines = new LineIndex(starts);
  return {
    value: root === null ? undefined : plainValue(root),
    issues,
    locate: (fault) => {
      const issue = issueAt(fault, name);
      return root === null ? issue : { ...issue, ...lines.at(offsetOf(root, fault.path, fault.atKey)) };
    },
  };
}

/** `name` is the file as shown to the user. */
function parseText(text: string, name: string): ParsedDocument {
  return documentOf(partsOf(text, name), name);
}

const parseAside = aside('read a scenario', ({ text, name }: { readonly text: string; readonly name: string }) =>
  partsOf(text, name),
);

/** YAML of a megabyte takes three seconds; of so much, 15 ms, which is less than a thread needs to start. */
const SMALL_CHARACTERS = 6_000;

/** Same as `parseText`, on a worker thread if that is worthwhile. */
export async function parseTextAside(text: string, name: string): Promise<ParsedDocument> {
  if (text.length <= SMALL_CHARACTERS || text.length > largestText_bytes + 1) return parseText(text, name);
  return documentOf(await parseAside({ text, name }), name);
}
