/** Reads files that a scenario names by a path relative to its own folder, and reports errors in them by line. */
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Issue } from '../../../contract/errors.ts';
import { type FieldIssue, fieldIssue, fieldWarning, formatPath } from '../../../contract/scenario/index.ts';
import { resolveInsideFolder } from '../../io/files/folders.ts';
import { readTableText, type TextOrReason } from '../../io/text/read.ts';
import { defineThreadTask } from '../../io/threads/task.ts';

export type ParseResult<T> =
  | {
      readonly ok: true;
      readonly value: T;
      /** Notes on the file that the user must know. */
      readonly notes?: readonly string[];
    }
  | { readonly ok: false; readonly faults: readonly { readonly line: number; readonly message: string }[] };

/** A kind of files that scenarios name, such as stopping power tables. */
interface NamedFileKind<T> {
  /** Name of the task that reads a file on a worker thread. */
  readonly task: string;
  /** Path of the scenario's field that contains the file name. */
  readonly path: readonly string[];
  readonly largest_bytes: number;
  /** Description of valid values, for error messages. */
  readonly allowed: string;
  readonly parse: (text: string, name: string) => ParseResult<T>;
}

export interface NamedFile<T> {
  /** Parsed content; null if the file cannot be used. `faults` or `issues` then state the reason. */
  readonly value: T | null;
  readonly faults: readonly FieldIssue[];
  /** Errors and warnings within the file, with their lines. */
  readonly issues: readonly Issue[];
}

/** Reads a file. `place.name` is the displayed path of the scenario; the file's displayed path is relative to it. */
type ReadNamedFile<T> = (
  wanted: string,
  place: { readonly name: string; readonly folder: string | null },
) => Promise<NamedFile<T>>;

/** Size up to which a file is read and parsed in the current thread, because starting a worker thread needs longer. */
const SMALL_BYTES = 20_000;

type ParseOutcome<T> = Extract<TextOrReason, { ok: false }> | { readonly ok: true; readonly parsed: ParseResult<T> };

/**
 * Returns a function that reads files of this kind. It caches the content of the last file until the file changes,
 * because a scenario is checked after every key press.
 */
export function createNamedFileReader<T>({
  task,
  path,
  largest_bytes,
  allowed,
  parse,
}: NamedFileKind<T>): ReadNamedFile<T> {
  const readHere = async ({
    file,
    name,
  }: {
    readonly file: string;
    readonly name: string;
  }): Promise<ParseOutcome<T>> => {
    const read = await readTableText(file, largest_bytes);
    return read.ok ? { ok: true, parsed: parse(read.text, name) } : read;
  };
  const readOnThread = defineThreadTask(task, readHere);
  let last: { readonly stamp: string; readonly parsed: ParseResult<T> } | null = null;
  return async (wanted, { name, folder }) => {
    const refuse = (says: string): NamedFile<T> => ({
      value: null,
      faults: [fieldIssue(path, wanted, says, allowed)],
      issues: [],
    });
    if (folder === null) {
      return refuse('cannot be found before the scenario is saved, because the path is relative to its file');
    }
    const file = await resolveInsideFolder(folder, wanted);
    if (file === null) return refuse('is outside the folder of the scenario');
    // The file's status is read before its text: if the file changes in between, the next read notices it.
    const found = await stat(file).catch(() => null);
    const stamp = found === null ? null : `${wanted} ${file} ${found.mtimeMs} ${found.size} ${found.ino}`;
    let parsed = last !== null && last.stamp === stamp ? last.parsed : null;
    if (parsed === null) {
      // Only regular files report a meaningful size.
      const small = found === null || (found.isFile() && found.size <= SMALL_BYTES);
      const read = await (small ? readHere : readOnThread)({ file, name: wanted });
      if (!read.ok) return refuse(`cannot be used: ${read.reason}`);
      parsed = read.parsed;
      last = stamp === null ? null : { stamp, parsed };
    }
    if (parsed.ok) {
      const warnings = (parsed.notes ?? []).map((note) => fieldWarning(path, wanted, note.replace(/\.$/, '')));
      return { value: parsed.value, faults: warnings, issues: [] };
    }
    const shown = join(dirname(name), wanted);
    const issues = parsed.faults.map(
      ({ line, message }): Issue => ({
        severity: 'error',
        file: shown,
        path: formatPath(path),
        line,
        column: null,
        message,
        value: null,
        allowed: null,
      }),
    );
    return { value: null, faults: [], issues };
  };
}
