/** Text of a scenario file to a plain document, with a way back from paths to lines. */
import { extname } from 'node:path';
import type { Issue } from '../../../contract/errors.ts';
import { type Fault, formatPath } from '../../../contract/scenario/index.ts';
import { parseJson } from '../../io/text/json.ts';
import { largestText_bytes } from '../../io/text/read.ts';
import { duplicateKeys, LineIndex, offsetOf, plainValue, type TextFault } from '../../io/text/source.ts';
import { parseYaml } from '../../io/text/yaml.ts';

/** More faults than this are not read by anyone, and a hostile file could make very many. */
const mostFaults = 200;

export interface ParsedDocument {
  /** Plain JSON; undefined when the text is no document. */
  readonly value: unknown;
  /** Faults of the text itself: syntax, duplicate keys. */
  readonly issues: readonly Issue[];
  /** A fault at a path as an issue with its line. */
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

/** Text that a page hands over may be as long as that of a file, and no longer. */
function tooLarge(name: string): ParsedDocument {
  const message = `is larger than ${largestText_bytes / 1024} KiB, which no scenario is`;
  const locate = (found: Fault): Issue => issueAt(found, name);
  const said: Fault = { severity: 'error', path: [], atKey: false, message, value: null, allowed: null };
  return { value: undefined, issues: [locate(said)], locate };
}

/** `name` is the file as shown to the user. */
export function parseText(text: string, name: string): ParsedDocument {
  const content = text.startsWith('\uFEFF') ? text.slice(1) : text;
  if (content.length > largestText_bytes) return tooLarge(name);
  const { root, faults } = isJson(name, content) ? parseJson(content) : parseYaml(content);
  const lines = new LineIndex(content);
  const textIssue = ({ at, message }: TextFault): Issue => ({
    severity: 'error',
    file: name,
    path: '',
    ...lines.at(at),
    message,
    value: null,
    allowed: null,
  });
  const all = root === null ? faults : [...faults, ...duplicateKeys(root)];
  return {
    value: root === null ? undefined : plainValue(root),
    issues: few(all.map(textIssue), (count) => textIssue({ at: 0, message: `and ${count} more faults` })),
    locate: (fault) => {
      const issue = issueAt(fault, name);
      return root === null ? issue : { ...issue, ...lines.at(offsetOf(root, fault.path, fault.atKey)) };
    },
  };
}
