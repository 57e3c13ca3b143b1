/** Converts compiler messages of GCC, Clang, MSVC and NVRTC to issues at lines of the user's file. */
import path from 'node:path';
import type { Issue } from '../../../contract/errors.ts';

/** Maximum number of issues to report. */
const MAX_DIAGNOSTICS = 50;

/** Message of GCC or Clang: `my.cpp:12:5: error: …`. The column may be missing. */
const GNU = /^(.+?):(\d+):(?:(\d+):)? (fatal error|error|warning|note):\s*(.*)$/;
/** Message of NVRTC, `my.cu(12): error: …`, or MSVC, `my.cpp(12,5): error C2065: …`. */
const PARENTHESES =
  /^(.+?)\((\d+)(?:,(\d+))?\)\s*:\s*(fatal error|catastrophic error|error|warning|note)\s*(?:#?[A-Z]*\d+(?:-D)?)?\s*:\s*(.*)$/;
/**
 * Context line, which names the line of the user's file that led to an error in a shipped file: `my.cpp:33:20: required
 * from here`.
 */
const CONTEXT = /(?:^|\s)([^\s:()]+)[:(](\d+)(?:[:,](\d+))?\)?/;
/** Message of a linker about a missing function or variable. */
const UNDEFINED_SYMBOL =
  /undefined reference to [`'‘](.+?)['’]|undefined symbols?.*?"(.+?)"|unresolved external symbol (.+?)(?: referenced|$)/i;

interface SourcePosition {
  readonly line: number;
  readonly column: number | null;
}

const placeOf = (line: string | undefined, column: string | undefined): SourcePosition => ({
  line: Math.max(1, Number(line)),
  column: column === undefined ? null : Math.max(1, Number(column)),
});

const baseName = (file: string): string => file.replace(/^.*[/\\]/, '');

function createIssue(name: string, severity: string, place: SourcePosition | null, message: string): Issue {
  return {
    severity: severity === 'warning' ? 'warning' : 'error',
    file: name,
    path: '',
    line: place?.line ?? null,
    column: place?.column ?? null,
    message,
    value: null,
    allowed: null,
  };
}

/** Column of an NVRTC message, from the excerpt below it: an indented source line, and a caret in the next line. */
function caretColumn(lines: readonly string[], at: number): number | null {
  for (const line of lines.slice(at + 1, at + 4)) {
    const caret = /^(\s*)\^\s*$/.exec(line);
    if (caret !== null) return Math.max(1, (caret[1]?.length ?? 0) - CARET_INDENT + 1);
  }
  return null;
}
/** Number of spaces by which NVRTC indents its excerpts. */
const CARET_INDENT = 2;

const ABSOLUTE = /^(?:[\\/]|[A-Za-z]:[\\/])/;
/** Folders of compilers and system headers. A path that leaves them by `..` does not count. */
const SYSTEM = /^(?:\/(?:usr|opt|nix|Library|Applications)\/|[A-Za-z]:[\\/]Program Files)/;

/**
 * Whether messages may quote a file's text: it is in the kernel's folder, shipped with the program, or a system header.
 */
function mayBeQuoted(file: string, shipped: readonly string[]): boolean {
  if (!ABSOLUTE.test(file)) return true;
  if (/(^|[\\/])\.\.([\\/]|$)/.test(file)) return shipped.some((folder) => path.resolve(file).startsWith(folder));
  return SYSTEM.test(file) || shipped.some((folder) => file.startsWith(folder));
}

/** Removes text of all other files from the compiler's output. */
export function hideForeignText(output: string, shipped: readonly string[]): string {
  const lines = output.split(/\r?\n/).flatMap((line) => {
    const match = GNU.exec(line) ?? PARENTHESES.exec(line);
    const [, file = '', row = '', column, severity = ''] = match ?? [];
    if (match === null || mayBeQuoted(file, shipped)) return line;
    const place = column === undefined ? row : `${row}:${column}`;
    return `${file}:${place}: ${severity}: a message about a file outside the folders of the kernel, the program and the system is hidden`;
  });
  return lines.join('\n');
}

/**
 * Converts compiler output to issues. An error in a shipped header is reported at the line of the user's file that led
 * to it. Only text of the kernel, of the `shipped` files and of system headers is quoted.
 */
export function parseDiagnostics(said: string, name: string, shipped: readonly string[]): readonly Issue[] {
  const lines = hideForeignText(said, shipped).split(/\r?\n/);
  const found: Issue[] = [];
  const undefinedNames = new Set<string>();
  let led: SourcePosition | null = null;
  for (const [at, line] of lines.entries()) {
    const missing = UNDEFINED_SYMBOL.exec(line);
    if (missing !== null) {
      undefinedNames.add(missing[1] ?? missing[2] ?? missing[3] ?? '');
      continue;
    }
    const gnu = GNU.exec(line);
    const match = gnu ?? PARENTHESES.exec(line);
    if (match === null) {
      const context = CONTEXT.exec(line);
      if (context !== null && baseName(context[1] ?? '') === name) led = placeOf(context[2], context[3]);
      continue;
    }
    const [, file = '', row, column, severity = 'error', message = ''] = match;
    const place = placeOf(row, column);
    const kernel = baseName(file) === name;
    if (severity === 'note') {
      const last = found.at(-1);
      // For a template, the context line with the user's line often follows the error.
      if (kernel && last?.line === null) found[found.length - 1] = { ...last, ...place };
      continue;
    }
    if (kernel) {
      const column = place.column ?? (gnu === null ? caretColumn(lines, at) : null);
      found.push(createIssue(name, severity, { ...place, column }, message));
    } else if (severity !== 'warning') {
      found.push(createIssue(name, severity, led, `${message} (in ${baseName(file)}, line ${place.line})`));
    }
    led = null;
  }
  for (const one of undefinedNames) found.push(createIssue(name, 'error', null, `${one} is used but not defined`));
  // The compiler reports an error in a template once for each type; the repetitions are dropped.
  const places = new Set<string>();
  const distinct = found.filter(({ line, column, severity, message }) => {
    const place = line === null ? message : `${severity} ${line}:${column}`;
    return !places.has(place) && places.add(place);
  });
  return distinct.slice(0, MAX_DIAGNOSTICS);
}
