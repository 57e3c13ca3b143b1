/** Processor time of a benchmark and its child processes: wall time is unreliable on a shared machine. */
import { readdirSync, readFileSync } from 'node:fs';

/** As Linux counts them, everywhere. */
const TICKS_A_SECOND = 100;

/** Parent and seconds of a process; null where it has ended meanwhile. */
function lookAt(pid: string): { readonly parent: number; readonly seconds: number } | null {
  try {
    // A name in brackets may hold anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const at = (i: number): number => Number(fields[i] ?? 0);
    // Its own, and of children that have ended.
    return { parent: at(1), seconds: (at(11) + at(12) + at(13) + at(14)) / TICKS_A_SECOND };
  } catch {
    return null;
  }
}

/** Seconds of this process and of those below it; null where the system does not tell. */
export function processorSeconds(): number | null {
  if (process.platform !== 'linux') return null;
  const all = new Map<number, { readonly parent: number; readonly seconds: number }>();
  for (const name of readdirSync('/proc')) {
    const found = /^\d+$/.test(name) ? lookAt(name) : null;
    if (found !== null) all.set(Number(name), found);
  }
  const isOurs = (pid: number): boolean => {
    for (let at = pid; at > 1; at = all.get(at)?.parent ?? 0) if (at === process.pid) return true;
    return false;
  };
  return [...all].reduce((sum, [pid, { seconds }]) => (isOurs(pid) ? sum + seconds : sum), 0);
}
