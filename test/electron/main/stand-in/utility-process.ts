/** Electron's utility processes: child processes of Node that find a port in `process.parentPort`. */
import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter } from 'node:events';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { stage } from './stage.ts';

class StandInUtility extends EventEmitter {
  readonly #child: ChildProcess;

  constructor(file: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    super();
    const port = pathToFileURL(path.join(import.meta.dirname, 'parent-port.mjs')).href;
    this.#child = fork(file, [...args], { serialization: 'advanced', silent: true, execArgv: ['--import', port], env });
    this.#child.on('message', (message) => this.emit('message', message));
    this.#child.on('exit', (code) => this.emit('exit', code ?? 1));
    stage.children += 1;
  }
  get pid(): number | undefined {
    return this.#child.pid;
  }
  get stdout() {
    return this.#child.stdout;
  }
  get stderr() {
    return this.#child.stderr;
  }
  postMessage(message: object): void {
    if (this.#child.connected) this.#child.send(message);
  }
}

export const utilityProcess = {
  fork: (file: string, args: readonly string[], { env = process.env }: { readonly env?: NodeJS.ProcessEnv } = {}) =>
    new StandInUtility(file, args, env),
};
