/**
 * The host's end of a channel to a child process, which can be killed in any state.
 *
 * Ends all processes that a child has started: its process tree, and daemons that left the tree by forking twice and
 * setsid. On Linux only; other systems have no list of processes to read, so only the child itself is ended.
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { listenToOutput, startedFile } from '../programs.ts';

/** Environment variable that a child's descendants inherit. */
const NAME = 'BRAGGBENCH_STARTED_BY';

/**
 * Limit of passes over the processes, for a child that forks faster than its descendants are found. Its parent is ended
 * anyway.
 */
const MAX_PASSES = 50;

export interface Mark {
  /** Environment variables of the child. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Kills every process with this environment, and their descendants. All are stopped first, so that they cannot start
   * others.
   */
  end(): void;
}

interface MarkedProcess {
  readonly pid: number;
  readonly parent: number;
  /** Clock ticks since the system started. */
  readonly started: number;
}

/**
 * Fields 4 and 22 of /proc/PID/stat; the second field, the name in parentheses, may contain spaces. Null if the process
 * has ended.
 */
function processOf(pid: number): MarkedProcess | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has already ended.
    if (fields[0] === 'Z') return null;
    return { pid, parent: Number(fields[1]), started: Number(fields[19]) };
  } catch {
    return null;
  }
}

function processes(): readonly MarkedProcess[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (processOf(Number(name)) ?? []) : []));
}

/** Environment of a process. Null if the process belongs to another user, or has ended. */
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
    // The process has ended.
  }
}

export function newMark(): Mark {
  const token = randomBytes(16).toString('hex');
  const entry = `${NAME}=${token}`;
  /** Older processes cannot be descendants, so their environment is not read. */
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
      for (let pass = 0; pass < MAX_PASSES; pass += 1) {
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

/** Programs of child processes, with their sources relative to the host's folder. */
const PROGRAMS = {
  'user-kernel-child': 'model/user-kernels/process/child.ts',
  'timeline-child': 'app/timelines/child.ts',
} as const;
type ChildProgram = keyof typeof PROGRAMS;

/** Exit code of a process, or the signal that ended it. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface ChildLink {
  send(message: object): void;
  /** Messages are not validated here; the listener must do so. */
  onMessage(listener: (message: unknown) => void): void;
  /** Text from the standard output and error of the process. */
  onOutput(listener: (text: string) => void): void;
  onEnded(listener: (how: ProcessExit) => void): void;
  /** Ends the process at once, even in native code, and its descendants (on Linux). */
  kill(): void;
}

/** Starts a child process. Electron and benchmark threads use other implementations than `forkChild`. */
export type StartChild = (program: ChildProgram) => ChildLink;

export const childFile = (program: ChildProgram): string => startedFile(program, PROGRAMS[program]);

export const forkChild: StartChild = (program) => {
  // Structured clones carry typed arrays without conversion.
  const mark = newMark();
  const child = fork(childFile(program), [], { serialization: 'advanced', silent: true, execArgv: [], env: mark.env });
  // Daemons may remain after the process has exited by itself.
  child.on('exit', () => mark.end());
  return {
    send: (message) => {
      if (child.connected) child.send(message);
    },
    // Delayed, so that output printed before a message is read before it.
    onMessage: (listener) => child.on('message', (message) => setImmediate(listener, message)),
    onOutput: (listener) => listenToOutput(child, listener),
    onEnded: (listener) => {
      child.on('error', () => listener({ code: null, signal: null }));
      child.on('exit', (code, signal) => listener({ code, signal }));
    },
    kill: () => {
      mark.end();
      child.kill('SIGKILL');
    },
  };
};
