/** Reads a file that a scenario names, relative to the scenario's folder, and reports its errors by line. */
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Issue } from '../../../contract/errors.ts';
import { type Fault, fault, formatPath } from '../../../contract/scenario/index.ts';
import { aside } from '../../io/aside/task.ts';
import { insideFolder } from '../../io/files/inside-folder.ts';
import { readText, type TextOrReason } from '../../io/text/read.ts';

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly faults: readonly { readonly line: number; readonly message: string }[] };

/** Files of one kind. */
interface BesideKind<T> {
  /** Name of the task that reads one on a worker thread. */
  readonly task: string;
  /** Path of the scenario's key that names the file. */
  readonly path: readonly string[];
  readonly largest_bytes: number;
  /** Expected value, for error messages. */
  readonly allowed: string;
  readonly parse: (text: string, name: string) => Parsed<T>;
}

export interface Beside<T> {
  /** Null if it cannot be used; `faults` or `issues` then contain the reason. */
  readonly value: T | null;
  readonly faults: readonly Fault[];
  /** Errors inside the file itself. */
  readonly issues: readonly Issue[];
}

/** `place.name` is the displayed path of the scenario; the file is displayed relative to it. */
type ReadBeside<T> = (
  wanted: string,
  place: { readonly name: string; readonly folder: string | null },
) => Promise<Beside<T>>;

/** Larger files are read and parsed on a worker thread; smaller ones are parsed before the thread could start. */
const SMALL_BYTES = 20_000;

type Read<T> = Extract<TextOrReason, { ok: false }> | { readonly ok: true; readonly parsed: Parsed<T> };

/** Scenarios are checked with every key that is pressed: the file that was read last is not read again until it changes. */
export function besideReader<T>({ task, path, largest_bytes, allowed, parse }: BesideKind<T>): ReadBeside<T> {
  const readHere = async ({ file, name }: { readonly file: string; readonly name: string }): Promise<Read<T>> => {
    const read = await readText(file, largest_bytes);
    return read.ok ? { ok: true, parsed: parse(read.text, name) } : read;
  };
  const readAside = aside(task, readHere);
  let last: { readonly stamp: string; readonly parsed: Parsed<T> } | null = null;
  return async (wanted, { name, folder }) => {
    const refuse = (says: string): Beside<T> => ({
      value: null,
      faults: [fault(path, wanted, says, allowed)],
      issues: [],
    });
    if (folder === null) {
      return refuse('cannot be found before the scenario is saved: the path is relative to its file');
    }
    const file = await insideFolder(folder, wanted);
    if (file === null) return refuse('leads out of the folder of the scenario');
    // Before the text: a change in between is seen the next time.
    const found = await stat(file).catch(() => null);
    const stamp = found === null ? null : `${wanted} ${file} ${found.mtimeMs} ${found.size} ${found.ino}`;
    let parsed = last !== null && last.stamp === stamp ? last.parsed : null;
    if (parsed === null) {
      // The reported size is meaningful only for regular files.
      const small = found === null || (found.isFile() && found.size <= SMALL_BYTES);
      const read = await (small ? readHere : readAside)({ file, name: wanted });
      if (!read.ok) return refuse(`cannot be used: ${read.reason}`);
      parsed = read.parsed;
      last = stamp === null ? null : { stamp, parsed };
    }
    if (parsed.ok) return { value: parsed.value, faults: [], issues: [] };
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
