/**
 * Ends what the code of a child process has started: its process tree, and daemons that left the tree by forking twice
 * and setsid. Linux alone: other systems have no list of processes to read, so only the child itself ends there.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** Environment variable that a child's descendants inherit. */
const NAME = 'BRAGGBENCH_STARTED_BY';

/** A process that forks faster than it is found stops here; its parent ends anyway. */
const MOST_PASSES = 50;

export interface Mark {
  /** Environment of the child. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Kills every process with this environment, and their descendants. All are stopped first, so that they start no more. */
  end(): void;
}

interface Found {
  readonly pid: number;
  readonly parent: number;
  /** Clock ticks since the system started. */
  readonly started: number;
}

/** Fields 4 and 22 of /proc/PID/stat; the second, the name in parentheses, may hold spaces. Null if the process has ended. */
function processOf(pid: number): Found | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has nothing left to end.
    if (fields[0] === 'Z') return null;
    return { pid, parent: Number(fields[1]), started: Number(fields[19]) };
  } catch {
    return null;
  }
}

function processes(): readonly Found[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (processOf(Number(name)) ?? []) : []));
}

/** Null if the process belongs to somebody else, or has ended. */
function environmentOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return null;
  }
}

function signal(pid: number, name: 'SIGSTOP' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

export function newMark(): Mark {
  const token = randomBytes(16).toString('hex');
  const entry = `${NAME}=${token}`;
  /** Started after this was made; older processes need no look into their environment. */
  const since = process.platform === 'linux' ? (processOf(process.pid)?.started ?? 0) : 0;

  function marked(): ReadonlySet<number> {
    const found = new Set<number>();
    const all = processes().filter(({ pid, started }) => pid !== process.pid && started >= since);
    for (const { pid } of all) if (environmentOf(pid)?.includes(entry)) found.add(pid);
    for (let before = 0; before < found.size; ) {
      before = found.size;
      for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
    }
    return found;
  }

  return {
    env: { ...process.env, [NAME]: token },
    end() {
      if (process.platform !== 'linux') return;
      const stopped = new Set<number>();
      for (let pass = 0; pass < MOST_PASSES; pass += 1) {
        const fresh = [...marked()].filter((one) => !stopped.has(one));
        if (fresh.length === 0) break;
        for (const one of fresh) {
          signal(one, 'SIGSTOP');
          stopped.add(one);
        }
      }
      for (const one of stopped) signal(one, 'SIGKILL');
    },
  };
}
