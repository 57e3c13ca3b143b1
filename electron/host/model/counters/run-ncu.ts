/**
 * Runs a command under Nsight Compute, if that is installed and permitted, and adds the hardware counters to a session.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { MeasuredSessionEntry, Session } from '../../../contract/bench/session.ts';
import { BraggError, messageOf } from '../../../contract/errors.ts';
import { type Counters, counterQuantities, ncuMetrics, readNcuCsv } from './ncu.ts';

/** Time limit in ms. ncu repeats every kernel once for each group of counters. */
const MAX_NCU_MS = 300_000;

interface NcuRun {
  /** Program and arguments of a command that runs the problem once. */
  readonly command: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
}

/** Reason why there are no counters, in one sentence that suggests a remedy. */
export function ncuFailureReason(code: string | number | null, output: string): string {
  if (code === 'ENOENT') return 'ncu is not on PATH: it is part of the CUDA toolkit (Nsight Compute)';
  if (output.includes('ERR_NVGPUCTRPERM')) {
    return 'the driver restricts counters to administrators: run as root, or load it with NVreg_RestrictProfilingToAdminUsers=0';
  }
  const errorLine = output.split(/\r?\n/).find((line) => /==ERROR==/.test(line));
  return errorLine?.replace(/^==ERROR==\s*/, '') ?? `ncu exited with code ${code ?? 'none'}`;
}

/** Counters of the command's run, or the reason why there are none. */
export async function countWithNcu({ command, environment, signal }: NcuRun): Promise<Counters | string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'braggbench-ncu-'));
  const log = path.join(folder, 'counters.csv');
  const words = ['--csv', '--page', 'raw', '--print-units', 'base', '--target-processes', 'all'];
  const requested = [...words, '--metrics', ncuMetrics.join(','), '--log-file', log, ...command];
  try {
    const ended = await new Promise<{ readonly code: string | number | null; readonly output: string }>((resolve) => {
      const options = { timeout: MAX_NCU_MS, maxBuffer: 2 ** 26, env: environment ?? process.env, signal };
      execFile('ncu', requested, options, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : (error.code ?? null), output: stdout + stderr }),
      );
    });
    const text = await readFile(log, 'utf8').catch(() => '');
    if (ended.code !== 0 || text.includes('==ERROR==')) return ncuFailureReason(ended.code, text + ended.output);
    return readNcuCsv(text, 'ncu');
  } catch (error) {
    return messageOf(error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const COUNTERS_FACT = 'Counters';

/**
 * Adds counters to the row `label` of a session, replacing earlier ones. `source` is displayed as their origin. Throws
 * BraggError `invalid` if the label was not measured, and for a sweep, in which a label has several sizes.
 */
export function addCounters(session: Session, label: string, counters: Counters, source: string): Session {
  const [report] = session.reports;
  if (session.sweep !== null || report === undefined) {
    throw new BraggError('invalid', 'counters are for one size; a sweep cannot use them');
  }
  const measured = report.entries.filter((entry) => entry.status === 'measured');
  if (!measured.some((entry) => entry.label === label)) {
    const labels = measured.map((entry) => entry.label).join(', ');
    throw new BraggError('invalid', `${label} was not measured in this session; allowed: ${labels}`);
  }
  const counted = (entry: MeasuredSessionEntry): MeasuredSessionEntry => ({
    ...entry,
    quantities: [...entry.quantities.filter(({ id }) => !id.startsWith('ncu_')), ...counterQuantities(counters)],
  });
  const told = (text: string): boolean => text.startsWith(`${label}: `);
  return {
    ...session,
    reports: [
      {
        ...report,
        facts: [
          ...report.facts.filter(([name, value]) => name !== COUNTERS_FACT || !told(value)),
          [COUNTERS_FACT, `${label}: ${source}, all kernels of one run`],
          ...counters.notes.map((note): [string, string] => [COUNTERS_FACT, `${label}: ${note}`]),
        ],
        entries: report.entries.map((entry) =>
          entry.status === 'measured' && entry.label === label ? counted(entry) : entry,
        ),
      },
    ],
  };
}
