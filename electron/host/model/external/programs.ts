/** Which programs of the registry can run here, and why the others cannot. */
import { execFile } from 'node:child_process';
import type { ExternalProgram } from '../../../contract/bench/benches.ts';
import { type Baseline, baselinesFor, readRegistry, type Solved, usualChoice } from './registry.ts';

/** Loading CuPy and opening a device takes seconds. */
const TIMEOUT_MS = 30_000;

/**
 * Programs with the same check share its answer. Installations may change, so the check is repeated after this time.
 */
const VALID_MS = 60_000;
const answers = new Map<string, { readonly at: number; readonly reason: Promise<string | null> }>();

function ask([program = '', ...args]: readonly string[], folder: string): Promise<string | null> {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  return new Promise((resolve) => {
    execFile(program, args, { cwd: folder, env, timeout: TIMEOUT_MS }, (error, _output, said) => {
      if (error === null) resolve(null);
      else if (error.code === 'ENOENT') resolve(`${program} is not installed, or not in PATH.`);
      else if (error.killed) resolve(`${program} did not answer within ${TIMEOUT_MS / 1000} s.`);
      else resolve(said.trim().split('\n').at(-1) || error.message);
    });
  });
}

function reasonOf(baseline: Baseline, folder: string): Promise<string | null> {
  const { command, check } = baseline;
  const asked = check ?? [command[0] ?? '', '--version'];
  const key = JSON.stringify([folder, asked]);
  const known = answers.get(key);
  if (known !== undefined && performance.now() - known.at < VALID_MS) return known.reason;
  const reason = ask(asked, folder);
  answers.set(key, { at: performance.now(), reason });
  return reason;
}

/** Those that solve scenarios of a benchmark. */
export async function externalPrograms(assetsFolder: string, solved: Solved): Promise<ExternalProgram[]> {
  const registry = await readRegistry(assetsFolder);
  return Promise.all(
    baselinesFor(registry, solved).map(async (baseline) => {
      const { id, title, language, device } = baseline;
      const file = baseline.path === undefined ? null : { what: baseline.path.what, named: usualChoice(baseline).file };
      return { id, title, language, device, reason: await reasonOf(baseline, registry.folder), file };
    }),
  );
}
