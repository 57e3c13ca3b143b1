/**
 * Connection to one remote machine: login, probe, copy of the program, port forwarding, and reconnection after a
 * failure.
 *
 * Starts the workbench server on the remote machine once; later connections find the running server.
 */
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { BraggError, messageOf } from '../../../contract/errors.ts';
import type { Remote, RemoteMachine, RemoteState } from '../../../contract/remote.ts';
import { quoteForShell } from '../studies/slurm/task.ts';
import { type Askpass, openAskpass } from './askpass.ts';
import { PROBE_SCRIPT, readProbe } from './probe.ts';
import { folderName, installProgram, type Source } from './program.ts';
import { LoginRefusedError, type PromptMode, plainLine, Ssh } from './ssh.ts';

/** Content of the file that the remote server writes when it is ready. Only the user can read its folder. */
export const servingSchema = z.strictObject({
  port: z.number().int().min(1).max(65_535),
  token: z.string().regex(/^[\w-]{20,64}$/),
});
export type ServerAnnouncement = Readonly<z.infer<typeof servingSchema>>;

export const SERVING_FILE = 'serving.json';
export const TOKEN_FILE = 'token';

/** A restarted server uses the same token, so that the page's address does not change. */
const newSessionToken = (): string => randomBytes(24).toString('base64url');

/**
 * Maximum time in seconds for the server to start. Loading the program from a slow network file system needs tens of
 * seconds.
 */
const START_TIMEOUT_S = 90;

/** Returns a shell script that starts the server. It is a single line, like all scripts in this file. */
function serverStartScript(folder: string, host: string): string {
  const wait = [
    'i=$((i+1))',
    `if [ $i -gt ${5 * START_TIMEOUT_S} ]; then kill $p; echo "the workbench did not start within ${START_TIMEOUT_S} s" >&2; exit 1; fi`,
    'kill -0 $p 2>/dev/null || { tail -n 3 "$s/log" >&2; exit 1; }',
    'sleep 0.2',
  ].join('; ');
  const start = [
    'rm -f "$f"',
    `cat >"$s/${TOKEN_FILE}"`,
    `{ setsid ./braggbench serve --session "$s" --as ${quoteForShell(host)} >"$s/log" 2>&1 </dev/null 9>&- & }`,
    'p=$!',
    'echo $p >"$s/pid"',
    'i=0',
    `until [ -s "$f" ]; do ${wait}; done`,
  ].join('; ');
  return [
    `cd ${quoteForShell(folder)} || exit`,
    'umask 077',
    's=$PWD/session.$(uname -n)',
    'mkdir -p "$s" || exit',
    // The lock lets only one connection at a time start the server.
    'exec 9>"$s/lock"',
    'flock 9 2>/dev/null',
    `f="$s/${SERVING_FILE}"`,
    'p=$(cat "$s/pid" 2>/dev/null)',
    // After a reboot, another process may have this process id, so check its command line.
    'serves() { [ -s "$f" ] && [ -n "$p" ] && tr "\\0" " " <"/proc/$p/cmdline" 2>/dev/null | grep -q -- "serve --session"; }',
    `if serves; then cat >/dev/null; else ${start}; fi`,
    'cat "$f"',
  ].join('; ');
}

/**
 * Starts the workbench in the program's remote folder, or finds the running one. Throws BraggError with one sentence.
 */
async function startSession(ssh: Ssh, folder: string, token: string): Promise<ServerAnnouncement> {
  const output = await ssh.run(serverStartScript(folder, ssh.host), { input: token });
  try {
    return servingSchema.parse(JSON.parse(output));
  } catch (error) {
    const says = plainLine(output);
    throw new BraggError(
      'unsupported',
      `${ssh.host}: the remote workbench did not report its address: ${says || 'no reply'}.`,
      [],
      {
        cause: error,
      },
    );
  }
}

const RETRY_MS = { first: 1000, last: 30_000 } as const;
/** Range of local ports. Browsers store page settings per address, so each host gets the same port if it is free. */
const PORTS = { first: 7400, count: 500 } as const;

export interface ConnectionOptions {
  readonly id: number;
  readonly host: string;
  /** Whether to start the program even on a login node without a GPU. */
  readonly anyway: boolean;
  readonly source: () => Promise<Source>;
  /** Shows prompts of ssh in the page, in ssh's terminal, or never. */
  readonly asking: 'page' | 'terminal' | 'never';
  readonly onChange: () => void;
  readonly retry_ms?: number;
}

type AnswerCallback = (answer: string | null) => void;

const shortMessage = (error: unknown): string => messageOf(error).slice(0, 1000);

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #closing = new AbortController();
  readonly #token = newSessionToken();
  #state: RemoteState = { kind: 'connecting' };
  #machine: RemoteMachine | null = null;
  #answer: AnswerCallback | null = null;
  #port: number | null = null;
  /** Settles when the connection has ended permanently. */
  readonly ended: Promise<void>;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.ended = this.#stayConnected();
  }

  get info(): Remote {
    const { id, host } = this.#options;
    return { id, host, state: this.#state, machine: this.#machine };
  }

  get hasEnded(): boolean {
    return this.#state.kind === 'failed' || this.#state.kind === 'login-node' || this.#closing.signal.aborted;
  }

  /** Forwards the user's answer to ssh. Null means that the user gave none, so the connection fails. */
  answer(answer: string | null): void {
    this.#answer?.(answer);
    if (answer === null) this.#fail(new Error('The ssh prompt was not answered.'));
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('closed'));
    await this.ended;
  }

  #setState(state: RemoteState): void {
    this.#state = state;
    this.#options.onChange();
  }

  #fail(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(error);
    this.#setState({ kind: 'failed', reason: shortMessage(error) });
  }

  /**
   * Reconnects until the connection is closed. If the first attempt fails, it does not retry, so that the user can read
   * the reason.
   */
  async #stayConnected(): Promise<void> {
    const { signal } = this.#closing;
    const first_ms = this.#options.retry_ms ?? RETRY_MS.first;
    let opened = false;
    let wait_ms = first_ms;
    // Let the constructor finish before the first change of state.
    await Promise.resolve();
    while (!signal.aborted) {
      try {
        const reason = await this.#connect(() => {
          opened = true;
          wait_ms = first_ms;
        });
        if (reason === null) return;
        if (!signal.aborted) this.#setState({ kind: 'lost', reason });
      } catch (error) {
        if (signal.aborted) return;
        if (!opened || error instanceof LoginRefusedError) return this.#fail(error);
        this.#setState({ kind: 'lost', reason: shortMessage(error) });
      }
      await sleep(wait_ms, undefined, { signal }).catch(() => undefined);
      wait_ms = Math.min(2 * wait_ms, RETRY_MS.last);
    }
  }

  /**
   * Connects to the host. Returns the reason when the connection is lost, or null if the program must not be started on
   * that machine.
   */
  async #connect(onOpen: () => void): Promise<string | null> {
    const { host, anyway, source } = this.#options;
    const { signal } = this.#closing;
    const askpass = await this.#openAskpass();
    let ssh: Ssh | null = null;
    const closeSsh = (): void => ssh?.close();
    signal.addEventListener('abort', closeSsh, { once: true });
    try {
      this.#setState(this.#state.kind === 'lost' ? this.#state : { kind: 'connecting' });
      ssh = await Ssh.open({ host, asking: this.#promptMode(askpass), signal });
      const program = await source();
      const probed = readProbe(host, await ssh.run(PROBE_SCRIPT), folderName(program.program));
      this.#machine = probed.machine;
      if (probed.machine.slurm && probed.machine.gpus.kind !== 'found' && !anyway) {
        this.#closing.abort();
        this.#setState({ kind: 'login-node' });
        return null;
      }
      // The compressed program is about a third of this size, so the copy ends before the progress bar is full.
      const total_bytes = program.program.unpacked_bytes;
      const onCopied = (done_bytes: number): void => this.#setState({ kind: 'copying', done_bytes, total_bytes });
      const folder = await installProgram({ ssh, probed, source: program, onCopied });
      if (this.#state.kind !== 'lost') this.#setState({ kind: 'starting' });
      const { port, token } = await startSession(ssh, folder, this.#token);
      const here = this.#port ?? (await freePort(host));
      await ssh.forward(here, port);
      this.#port = here;
      onOpen();
      this.#setState({ kind: 'open', url: `http://127.0.0.1:${here}/?token=${token}` });
      return await ssh.ended;
    } finally {
      signal.removeEventListener('abort', closeSsh);
      ssh?.close();
      await ssh?.ended;
      await askpass?.close();
    }
  }

  #promptMode(askpass: Askpass | null): PromptMode {
    if (askpass !== null) return { kind: 'program', environment: askpass.environment };
    return { kind: this.#options.asking === 'terminal' ? 'terminal' : 'never' };
  }

  async #openAskpass(): Promise<Askpass | null> {
    if (this.#options.asking !== 'page') return null;
    return openAskpass(({ prompt, secret }, gone) => {
      const before = this.#state;
      return new Promise((resolve) => {
        const answerOnce: AnswerCallback = (answer) => {
          if (this.#answer !== answerOnce) return;
          this.#answer = null;
          if (this.#state.kind === 'asks') this.#setState(before.kind === 'asks' ? { kind: 'connecting' } : before);
          resolve(answer);
        };
        this.#answer?.(null);
        this.#answer = answerOnce;
        gone.addEventListener('abort', () => answerOnce(null), { once: true });
        this.#setState({ kind: 'asks', prompt, secret });
      });
    });
  }
}

function findFreePort(port: number): Promise<number | null> {
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
  return (await findFreePort(PORTS.first + (hash % PORTS.count))) ?? (await findFreePort(0)) ?? PORTS.first;
}
