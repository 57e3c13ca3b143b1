/** The host's end of a channel to a child process, which can be killed whatever it is doing. */
import { fork } from 'node:child_process';
import { onPrinted } from '../printed-text.ts';
import { startedFile } from '../started-file.ts';
import { newMark } from './descendants.ts';

/** Programs of child processes and their sources, from the host's folder. */
const PROGRAMS = {
  'user-kernel-child': 'model/user-kernels/process/child.ts',
  'timeline-child': 'app/timelines/child.ts',
} as const;
type ChildProgram = keyof typeof PROGRAMS;

/** Exit code of a process, or the signal that ended it. */
export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface ChildLink {
  send(message: object): void;
  /** Messages are not validated: the listener does that. */
  onMessage(listener: (message: unknown) => void): void;
  /** Text that the process writes to its standard output and error. */
  onOutput(listener: (text: string) => void): void;
  onEnded(listener: (how: Ended) => void): void;
  /** Ends the process at once, in native code too, and what it has started (on Linux). */
  kill(): void;
}

/** Starts a child process. Electron and benchmark threads have implementations different from `forkChild`. */
export type StartChild = (program: ChildProgram) => ChildLink;

export const childFile = (program: ChildProgram): string => startedFile(program, PROGRAMS[program]);

export const forkChild: StartChild = (program) => {
  // Structured clones carry typed arrays without conversion.
  const mark = newMark();
  const child = fork(childFile(program), [], { serialization: 'advanced', silent: true, execArgv: [], env: mark.env });
  // A process that ended by itself leaves daemons, too.
  child.on('exit', () => mark.end());
  return {
    send: (message) => {
      if (child.connected) child.send(message);
    },
    // Output that was printed before a message is read before it.
    onMessage: (listener) => child.on('message', (message) => setImmediate(listener, message)),
    onOutput: (listener) => onPrinted(child, listener),
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
