/**
 * The host's end of a channel to a child process that may be killed at any time. Also ends all processes that a child
 * started: its process tree, and daemons that left the tree by a double fork and setsid. This works only on Linux,
 * where /proc lists all processes; elsewhere only the child itself is ended.
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { listenToOutput, programPath } from '../programs.ts';

/** Environment variable that identifies the descendants of a child, because they inherit it. */
const MARK_VARIABLE = 'BRAGGBENCH_STARTED_BY';

/**
 * Maximum number of searches for new descendants, in case the child creates processes faster than they are stopped.
 */
const MAX_PASSES = 50;

interface DescendantMark {
  /** Environment for the child process, including the mark. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Kills all processes with the mark, and their descendants. All are stopped before the first is killed, so that none
   * can start another.
   */
  end(): void;
}

interface MarkedProcess {
  readonly pid: number;
  readonly parent: number;
  /** Start time of the process, in clock ticks since the system started. */
  readonly started: number;
}

/**
 * Reads parent and start time of a process: fields 4 and 22 of /proc/PID/stat. The second field is a name in
 * parentheses that may contain spaces. Null if the process has ended.
 */
function readProcess(pid: number): MarkedProcess | null {
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

function listProcesses(): readonly MarkedProcess[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readProcess(Number(name)) ?? []) : []));
}

/** Environment of a process. Null if the process belongs to another user, or has ended. */
function readEnvironment(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return null;
  }
}

function sendSignal(pid: number, name: 'SIGSTOP' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended.
  }
}

export function createDescendantMark(): DescendantMark {
  const token = randomBytes(16).toString('hex');
  const entry = `${MARK_VARIABLE}=${token}`;
  /** Processes that started before this one cannot be descendants, so their environment is not read. */
  const since = process.platform === 'linux' ? (readProcess(process.pid)?.started ?? 0) : 0;

  function markedProcesses(): ReadonlySet<number> {
    const found = new Set<number>();
    const all = listProcesses().filter(({ pid, started }) => pid !== process.pid && started >= since);
    for (const { pid } of all) if (readEnvironment(pid)?.includes(entry)) found.add(pid);
    for (let before = 0; before < found.size; ) {
      before = found.size;
      for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
    }
    return found;
  }

  return {
    env: { ...process.env, [MARK_VARIABLE]: token },
    end() {
      if (process.platform !== 'linux') return;
      const stopped = new Set<number>();
      for (let pass = 0; pass < MAX_PASSES; pass += 1) {
        const fresh = [...markedProcesses()].filter((one) => !stopped.has(one));
        if (fresh.length === 0) break;
        for (const one of fresh) {
          sendSignal(one, 'SIGSTOP');
          stopped.add(one);
        }
      }
      for (const one of stopped) sendSignal(one, 'SIGKILL');
    },
  };
}

/** Programs that run as child processes, each with the path of its source in the host's folder. */
const CHILD_PROGRAMS = {
  'user-kernel-child': 'model/user-kernels/process/child.ts',
  'timeline-child': 'app/timelines/child.ts',
} as const;
type ChildProgram = keyof typeof CHILD_PROGRAMS;

/** Exit code of a process, or the signal that ended it. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface ChildLink {
  send(message: object): void;
  /** Registers a listener for messages. They are not validated here, so the listener has to do that. */
  onMessage(listener: (message: unknown) => void): void;
  /** Registers a listener for text from the standard output and standard error of the process. */
  onOutput(listener: (text: string) => void): void;
  onEnded(listener: (how: ProcessExit) => void): void;
  /** Kills the process at once, even while it runs native code. On Linux its descendants are killed too. */
  kill(): void;
}

/**
 * Starts a child process. `forkChild` is the implementation for Node.js; Electron and benchmark threads have others.
 */
export type StartChild = (program: ChildProgram) => ChildLink;

export const childProgramPath = (program: ChildProgram): string => programPath(program, CHILD_PROGRAMS[program]);

export const forkChild: StartChild = (program) => {
  const mark = createDescendantMark();
  const child = fork(childProgramPath(program), [], {
    // Structured clone, which sends typed arrays without conversion.
    serialization: 'advanced',
    silent: true,
    execArgv: [],
    env: mark.env,
  });
  // Ends daemons that remain after the child has exited.
  child.on('exit', () => mark.end());
  return {
    send: (message) => {
      if (child.connected) child.send(message);
    },
    // Delayed until output that the child printed before the message has been read.
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
