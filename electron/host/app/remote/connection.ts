/** One machine that the window works on: logged in, probed, given the program, forwarded, and dialled again when lost. */

import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../../contract/errors.ts';
import type { Remote, RemoteMachine, RemoteState } from '../../../contract/remote.ts';
import { type Askpass, openAskpass } from './askpass.ts';
import { PROBE, readProbe } from './probe.ts';
import { folderName, installProgram, type Source } from './program.ts';
import { newSessionToken, startSession } from './session.ts';
import { type Asking, LoginRefused, Ssh } from './ssh.ts';

const RETRY_MS = { first: 1000, last: 30_000 } as const;
/** Settings of a page belong to its address, so a host has the same port each time where that is free. */
const PORTS = { first: 7400, count: 500 } as const;

export interface ConnectionOptions {
  readonly id: number;
  readonly host: string;
  /** On a login node without a GPU too. */
  readonly anyway: boolean;
  readonly source: () => Promise<Source>;
  /** The page answers what ssh asks; a terminal does so by itself. */
  readonly asking: 'page' | 'terminal' | 'never';
  readonly onChange: () => void;
  readonly retry_ms?: number;
}

type Answer = (answer: string | null) => void;

const shortMessage = (error: unknown): string => messageOf(error).slice(0, 1000);

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #closing = new AbortController();
  readonly #token = newSessionToken();
  #state: RemoteState = { kind: 'connecting' };
  #machine: RemoteMachine | null = null;
  #answer: Answer | null = null;
  #port: number | null = null;
  /** Settles when it has ended for good. */
  readonly ended: Promise<void>;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.ended = this.#live();
  }

  get info(): Remote {
    const { id, host } = this.#options;
    return { id, host, state: this.#state, machine: this.#machine };
  }

  get isOver(): boolean {
    return this.#state.kind === 'failed' || this.#state.kind === 'login-node' || this.#closing.signal.aborted;
  }

  /** Passes an answer on to ssh. */
  answer(answer: string | null): void {
    this.#answer?.(answer);
    if (answer === null) this.#fail(new Error('No answer was given to ssh.'));
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('closed'));
    await this.ended;
  }

  #become(state: RemoteState): void {
    this.#state = state;
    this.#options.onChange();
  }

  #fail(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(error);
    this.#become({ kind: 'failed', reason: shortMessage(error) });
  }

  /** Dials until it is closed. A first try that fails is the end: its reason is the user's to read. */
  async #live(): Promise<void> {
    const { signal } = this.#closing;
    const first_ms = this.#options.retry_ms ?? RETRY_MS.first;
    let opened = false;
    let wait_ms = first_ms;
    // The first state is in place before anybody hears of another.
    await Promise.resolve();
    while (!signal.aborted) {
      try {
        const reason = await this.#dial(() => {
          opened = true;
          wait_ms = first_ms;
        });
        if (reason === null) return;
        if (!signal.aborted) this.#become({ kind: 'lost', reason });
      } catch (error) {
        if (signal.aborted) return;
        if (!opened || error instanceof LoginRefused) return this.#fail(error);
        this.#become({ kind: 'lost', reason: shortMessage(error) });
      }
      await sleep(wait_ms, undefined, { signal }).catch(() => undefined);
      wait_ms = Math.min(2 * wait_ms, RETRY_MS.last);
    }
  }

  /** The reason for which the line was lost; null where nothing is to be started on that machine. */
  async #dial(onOpen: () => void): Promise<string | null> {
    const { host, anyway, source } = this.#options;
    const { signal } = this.#closing;
    const askpass = await this.#askpass();
    let ssh: Ssh | null = null;
    const hangUp = (): void => ssh?.close();
    signal.addEventListener('abort', hangUp, { once: true });
    try {
      this.#become(this.#state.kind === 'lost' ? this.#state : { kind: 'connecting' });
      ssh = await Ssh.open({ host, asking: this.#asking(askpass), signal });
      const program = await source();
      const probed = readProbe(host, await ssh.run(PROBE), folderName(program.program));
      this.#machine = probed.machine;
      if (probed.machine.slurm && probed.machine.gpus.kind !== 'found' && !anyway) {
        this.#closing.abort();
        this.#become({ kind: 'login-node' });
        return null;
      }
      // Compressed, a program has a good third of its size; the bar ends early where it has less.
      const total_bytes = program.program.unpacked_bytes;
      const onCopied = (done_bytes: number): void => this.#become({ kind: 'copying', done_bytes, total_bytes });
      const folder = await installProgram({ ssh, probed, source: program, onCopied });
      if (this.#state.kind !== 'lost') this.#become({ kind: 'starting' });
      const { port, token } = await startSession(ssh, folder, this.#token);
      const here = this.#port ?? (await freePort(host));
      await ssh.forward(here, port);
      this.#port = here;
      onOpen();
      this.#become({ kind: 'open', url: `http://127.0.0.1:${here}/?token=${token}` });
      return await ssh.ended;
    } finally {
      signal.removeEventListener('abort', hangUp);
      ssh?.close();
      await ssh?.ended;
      await askpass?.close();
    }
  }

  #asking(askpass: Askpass | null): Asking {
    if (askpass !== null) return { kind: 'program', environment: askpass.environment };
    return { kind: this.#options.asking === 'terminal' ? 'terminal' : 'never' };
  }

  async #askpass(): Promise<Askpass | null> {
    if (this.#options.asking !== 'page') return null;
    return openAskpass(({ prompt, secret }, gone) => {
      const before = this.#state;
      return new Promise((resolve) => {
        const settle: Answer = (answer) => {
          if (this.#answer !== settle) return;
          this.#answer = null;
          if (this.#state.kind === 'asks') this.#become(before.kind === 'asks' ? { kind: 'connecting' } : before);
          resolve(answer);
        };
        this.#answer?.(null);
        this.#answer = settle;
        gone.addEventListener('abort', () => settle(null), { once: true });
        this.#become({ kind: 'asks', prompt, secret });
      });
    });
  }
}

function bindable(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : null));
    });
  });
}

async function freePort(host: string): Promise<number> {
  const hash = createHash('sha256').update(host).digest().readUInt32LE(0);
  return (await bindable(PORTS.first + (hash % PORTS.count))) ?? (await bindable(0)) ?? PORTS.first;
}
