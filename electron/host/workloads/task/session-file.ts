/** Sessions of small measured workloads kept in files: these are their runs. */
import { keptHead } from '../../../contract/bench/kept-session.ts';
import { TASK_SESSION_FORMAT, taskSessionSchema } from '../../../contract/bench/recorded/task.ts';
import { SESSION_FORMAT, type Session, sessionSchema } from '../../../contract/bench/session.ts';
import { parseKept } from '../../model/bench/session-file.ts';
import { taskSession } from './recorded-session.ts';

/** Told from a file's text, or its beginning. */
export const isTaskSession = (text: string): boolean => keptHead(text)?.isTask === true;

/** With its recordings. Throws BraggError 'foreign-file' that says what is wrong. */
export function parseTaskSession(text: string, path: string): Session {
  if (keptHead(text)?.format === SESSION_FORMAT) return parseKept(text, path, [SESSION_FORMAT], sessionSchema);
  return taskSession(parseKept(text, path, [TASK_SESSION_FORMAT], taskSessionSchema));
}
