/** Session files of task workloads: these are their runs. */
import { SESSION_FORMAT, type Session, sessionHead, sessionSchema } from '../../../contract/bench/session.ts';
import { parseKept } from '../../model/bench/session-file.ts';

/** Recognizes a file by its beginning. */
export const isTaskSession = (text: string): boolean => sessionHead(text)?.isTask === true;

/** With its recordings. Throws BraggError 'foreign-file'. */
export const parseTaskSession = (text: string, path: string): Session =>
  parseKept(text, path, [SESSION_FORMAT], sessionSchema);
