/** Reads a session file named by the user. For another file type, the error names it and the command that opens it. */
import type { Session } from '../../../contract/bench/session.ts';
import { BraggError } from '../../../contract/errors.ts';
import { isScenarioKind } from '../../../contract/scenario/index.ts';
import { readKept } from '../../model/bench/index.ts';
import { parseSession } from './index.ts';

/** HDF5's first bytes, of which one is no UTF-8. */
const HDF5 = '\uFFFDHDF\r\n\x1A\n';

interface Other {
  readonly what: string;
  readonly verb: string;
}

function otherIn(text: string): Other | null {
  if (text.startsWith(HDF5)) return { what: 'HDF5, as runs are kept', verb: 'compare' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const kind = 'kind' in value ? value.kind : null;
  if (isScenarioKind(kind)) return { what: 'a scenario', verb: 'bench' };
  if (kind === 'study') return { what: 'a study', verb: 'study run' };
  return 'traceEvents' in value ? { what: 'a timeline', verb: 'trace' } : null;
}

/** Throws a BraggError for what is no session. */
export async function readSessionNamed(file: string): Promise<Session> {
  const text = await readKept(file);
  try {
    return parseSession(text, file);
  } catch (error) {
    const other = otherIn(text);
    if (other === null) throw error;
    const { what, verb } = other;
    throw new BraggError(
      'foreign-file',
      `${file} is ${what}, and no session. It is opened by: braggbench ${verb} ${file}`,
    );
  }
}
