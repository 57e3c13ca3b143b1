/** The host's end of the line to the process of a user kernel. */
import { fork } from 'node:child_process';
import { onPrinted } from '../../../io/printed-text.ts';
import { startedFile } from '../../../io/started-file.ts';
import type { ToChild } from './messages.ts';

/** How a process ended: its exit code, or the signal that ended it. */
export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface ChildLink {
  send(message: ToChild): void;
  /** What it sends is checked by whoever listens. */
  onMessage(listener: (message: unknown) => void): void;
  /** What it wrote to its output, for the user to read. */
  onOutput(listener: (text: string) => void): void;
  onEnded(listener: (how: Ended) => void): void;
  /** At once, whatever it does. */
  kill(): void;
}

/** Starts the process; Electron and benchmark threads have their own ways. */
export type StartChild = () => ChildLink;

/** What the process runs. */
export const childFile = (): string => startedFile('user-kernel-child', 'model/user-kernels/process/child.ts');

export const forkChild: StartChild = () => {
  // Structured clones carry typed arrays as they are.
  const child = fork(childFile(), [], { serialization: 'advanced', silent: true, execArgv: [] });
  return {
    send: (message) => {
      if (child.connected) child.send(message);
    },
    // What it printed before it said so is read first.
    onMessage: (listener) => child.on('message', (message) => setImmediate(listener, message)),
    onOutput: (listener) => onPrinted(child, listener),
    onEnded: (listener) => {
      child.on('error', () => listener({ code: null, signal: null }));
      child.on('exit', (code, signal) => listener({ code, signal }));
    },
    kill: () => child.kill('SIGKILL'),
  };
};
