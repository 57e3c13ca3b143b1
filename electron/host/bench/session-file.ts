/** Benchmarks kept in files: reopened to the same report, also where there is no GPU. */
import { readFile } from 'node:fs/promises';
import { type BenchSession, benchSessionSchema, SESSION_FORMAT } from '../../contract/bench.ts';
import { BraggError } from '../../contract/errors.ts';
import { writeAtomically } from '../scenarios/index.ts';

/** NaN and infinities, which JSON lacks, do not occur in what the schema lets through. */
export async function writeSession(path: string, session: BenchSession): Promise<void> {
  await writeAtomically(path, `${JSON.stringify(session)}\n`, 'replace');
}

/** Throws BraggError 'foreign-file' that says what is wrong. */
export async function readSession(path: string): Promise<BenchSession> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new BraggError('not-found', `There is no file ${path}.`);
    throw error;
  });
  return parseSession(text, path);
}

/** `path` names the file in what is wrong with it. Throws BraggError 'foreign-file'. */
export function parseSession(text: string, path: string): BenchSession {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BraggError('foreign-file', `${path} is not JSON: it is damaged or of another program.`);
  }
  if (value === null || typeof value !== 'object' || !('format' in value) || value.format !== SESSION_FORMAT) {
    throw new BraggError('foreign-file', `${path} is not a benchmark of this program.`);
  }
  const parsed = benchSessionSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined ? '' : `: ${issue.path.join('.')}: ${issue.message}`;
  throw new BraggError('foreign-file', `${path} cannot be read as a benchmark${where}.`);
}
