/**
 * A Chromium driven over its DevTools pipe: JSON messages ended by a zero byte
 * on the file descriptors 3 and 4 (https://chromedevtools.github.io/devtools-protocol).
 * Every Chromium since 2018 speaks it, also those that know no --print-to-pdf.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';

const answerSchema = z.looseObject({
  id: z.number().optional(),
  method: z.string().optional(),
  result: z.unknown().optional(),
  error: z.looseObject({ message: z.string() }).optional(),
});

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class DevtoolsPipe {
  readonly #child: ChildProcess;
  readonly #input: Writable;
  readonly #calls = new Map<number, Waiting>();
  readonly #events = new Map<string, Waiting[]>();
  #next = 1;
  #buffer = '';
  #said = '';
  #over: Error | null = null;

  constructor(program: string, words: readonly string[]) {
    const stdio = ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] as const;
    this.#child = spawn(program, [...words, '--remote-debugging-pipe'], { stdio: [...stdio] });
    this.#input = this.#child.stdio[3] as Writable;
    const output = this.#child.stdio[4] as Readable;
    output.setEncoding('utf8').on('data', (text: string) => this.#received(text));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-500);
    });
    // The pipe breaks with the program, whose end tells why.
    this.#input.on('error', () => undefined);
    this.#child.on('error', (error) => this.#end(error));
    this.#child.on('exit', (code) => this.#end(new Error(this.#said.trim() || `it ended with ${code}`)));
  }

  /** Rejects with what the browser answers, or when it ends. */
  call(method: string, params: object, sessionId?: string): Promise<unknown> {
    if (this.#over !== null) return Promise.reject(this.#over);
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      this.#input.write(
        `${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`,
      );
    });
  }

  /** Resolves with the next event of this name. */
  event(method: string): Promise<unknown> {
    if (this.#over !== null) return Promise.reject(this.#over);
    const next = new Promise<unknown>((resolve, reject) => {
      this.#events.set(method, [...(this.#events.get(method) ?? []), { resolve, reject }]);
    });
    // Whoever waits for it may be told of the end by a call before.
    next.catch(() => undefined);
    return next;
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined) return;
    const ended = new Promise<void>((resolve) => {
      this.#child.once('exit', () => resolve());
    });
    this.#child.kill('SIGKILL');
    await ended;
  }

  #received(text: string): void {
    const parts = (this.#buffer + text).split('\0');
    this.#buffer = parts.pop() ?? '';
    for (const part of parts) {
      const { id, method, result, error } = answerSchema.parse(JSON.parse(part));
      if (id !== undefined) {
        const waiting = this.#calls.get(id);
        this.#calls.delete(id);
        if (error === undefined) waiting?.resolve(result);
        else waiting?.reject(new Error(error.message));
      } else if (method !== undefined) {
        for (const waiting of this.#events.get(method) ?? []) waiting.resolve(null);
        this.#events.delete(method);
      }
    }
  }

  #end(error: Error): void {
    this.#over = error;
    for (const { reject } of [...this.#calls.values(), ...[...this.#events.values()].flat()]) reject(error);
    this.#calls.clear();
    this.#events.clear();
  }
}
