/**
 * `npm run bench:aa`: sessions of a variant against a byte-identical user kernel in a process of its own. Every
 * "faster" or "slower" is false. As many again run with a busy process on every core.
 *
 * Needs Node, dist and assets, and no package.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { onCpu, onGpu, sessionOf, type Verdict, writeCopy } from './session.ts';

const usual = { sessions: '40', seconds: '5', allowed: '2' };
const { values } = parseArgs({
  options: {
    gpu: { type: 'boolean', default: false },
    sessions: { type: 'string', default: usual.sessions },
    seconds: { type: 'string', default: usual.seconds },
    allowed: { type: 'string', default: usual.allowed },
  },
});

/** Throws for what is no whole number, or no number, above 0. */
function number(name: 'sessions' | 'seconds' | 'allowed', least: number): number {
  const value = Number(values[name]);
  if (Number.isFinite(value) && value >= least) return value;
  throw new Error(`--${name}: ${JSON.stringify(values[name])} is not a number of at least ${least}`);
}

const sessions = Math.floor(number('sessions', 1));
const seconds = number('seconds', 0.1);
const allowed = number('allowed', 0);
const copied = values.gpu ? onGpu : onCpu;

const isFalse = (verdict: string): boolean => verdict !== 'same' && verdict !== 'undecided';

function line(i: number, half: string, one: Verdict): string {
  const { verdict, whole, ratio, interval, floor, rounds, otherLoad_cores } = one;
  const percent = (value: number | null): string => (value === null ? '–' : `${(100 * value).toFixed(2)} %`);
  const between = interval === null ? 'no interval' : `${interval.low.toFixed(4)} to ${interval.high.toFixed(4)}`;
  const load = otherLoad_cores === null ? '' : `, others ${otherLoad_cores.toFixed(1)} cores`;
  const mark = isFalse(verdict) ? '  FALSE' : '';
  return `${String(i + 1).padStart(3)} ${half}: ${verdict} ${ratio.toFixed(4)} (${between}), floor ${percent(floor)}, ${rounds} rounds, whole run ${whole}${load}${mark}`;
}

const burners: ChildProcess[] = [];
const endLoad = (): void => {
  for (const one of burners.splice(0)) one.kill('SIGKILL');
};
process.once('exit', endLoad);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** What one condition of the machine came to. */
interface Half {
  readonly name: string;
  /** False verdicts on steps, and on whole runs. */
  steps: number;
  whole: number;
}

const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-aa-'));
const began = performance.now();
const halves: readonly Half[] = ['as it is', 'loaded'].map((name) => ({ name, steps: 0, whole: 0 }));
try {
  const copy = writeCopy(folder, copied);
  const cores = availableParallelism();
  console.log(
    `${sessions} sessions of at most ${seconds} s of rounds: ${copied.variant} against ${copy}, the same bytes in a process of its own; then ${sessions} with ${cores} busy processes on ${cores} cores.`,
  );
  // Compiled, and its ceilings measured, before the first.
  await sessionOf(folder, copy, copied, { seed: 0, seconds: 0.1 });
  for (const [k, half] of halves.entries()) {
    if (half.name === 'loaded') {
      for (let core = 0; core < cores; core += 1) burners.push(spawn(process.execPath, ['-e', 'for (;;);']));
    }
    for (let i = 0; i < sessions; i += 1) {
      const at = k * sessions + i;
      const one = await sessionOf(folder, copy, copied, { seed: at + 1, seconds });
      if (isFalse(one.verdict)) half.steps += 1;
      if (isFalse(one.whole)) half.whole += 1;
      console.log(line(at, half.name, one));
    }
  }
} finally {
  endLoad();
  rmSync(folder, { recursive: true, force: true });
}
const took_s = (performance.now() - began) / 1000;
console.log('');
for (const { name, steps, whole } of halves) {
  console.log(
    `${name}: ${steps} of ${sessions} false on steps, ${allowed} allowed; ${whole} on whole runs, where the copy's answer goes from process to process, which is no noise.`,
  );
}
console.log(`${took_s.toFixed(0)} s, ${(took_s / (2 * sessions)).toFixed(1)} s a session.`);
process.exitCode = halves.every(({ steps }) => steps <= allowed) ? 0 : 1;
