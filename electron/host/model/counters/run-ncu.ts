/** Counters of one run by Nsight Compute, where it is installed and may count. */

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { messageOf } from '../../../contract/errors.ts';
import { type Counters, ncuMetrics, readNcuCsv } from './ncu.ts';

/** Every kernel is run again for each group of counters. */
const MOST_MS = 300_000;

interface NcuRun {
  /** The program and its words, which run once. */
  readonly command: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
}

/** Why there are no counters, as one sentence that says what to do. */
export function ncuRefusal(code: string | number | null, output: string): string {
  if (code === 'ENOENT') return 'ncu is not on the PATH: it comes with the CUDA toolkit, as Nsight Compute';
  if (output.includes('ERR_NVGPUCTRPERM')) {
    return 'the driver keeps counters for administrators: run as root, or load it with NVreg_RestrictProfilingToAdminUsers=0';
  }
  const told = output.split(/\r?\n/).find((line) => /==ERROR==/.test(line));
  return told?.replace(/^==ERROR==\s*/, '') ?? `ncu ended with code ${code ?? 'none'}`;
}

/** The counters, or the reason why there are none. */
export async function countedBy({ command, environment, signal }: NcuRun): Promise<Counters | string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'braggbench-ncu-'));
  const log = path.join(folder, 'counters.csv');
  const words = ['--csv', '--page', 'raw', '--print-units', 'base', '--target-processes', 'all'];
  const asked = [...words, '--metrics', ncuMetrics.join(','), '--log-file', log, ...command];
  try {
    const ended = await new Promise<{ readonly code: string | number | null; readonly output: string }>((resolve) => {
      const options = { timeout: MOST_MS, maxBuffer: 2 ** 26, env: environment ?? process.env, signal };
      execFile('ncu', asked, options, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : (error.code ?? null), output: stdout + stderr }),
      );
    });
    const text = await readFile(log, 'utf8').catch(() => '');
    if (ended.code !== 0 || text.includes('==ERROR==')) return ncuRefusal(ended.code, text + ended.output);
    return readNcuCsv(text, 'ncu');
  } catch (error) {
    return messageOf(error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
