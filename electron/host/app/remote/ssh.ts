/**
 * One login by the user's own `ssh`, with the aliases, jump hosts, agents and keys of their configuration. The first
 * process logs in and keeps running. If ssh can share a connection, all further processes use it, so that ssh prompts
 * only once.
 *
 * Also removes unsafe characters from text that comes from another machine.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { BraggError } from '../../../contract/errors.ts';
import { sshHostSchema } from '../../../contract/remote.ts';
import { quoteForShell } from '../studies/slurm/task.ts';

const MAX_MESSAGE_LENGTH = 300;
// biome-ignore lint/suspicious/noControlCharactersInRegex: codes of terminal colours begin with a control character
const COLOURS = /\u001B\[[0-9;?]*[A-Za-z]/g;
const CONTROLS = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

/** Removes control characters, colours and changes of text direction. Limits the length. */
export const plainText = (text: string, longest = MAX_MESSAGE_LENGTH): string =>
  text
    .slice(0, 20 * longest)
    .replace(COLOURS, '')
    .replace(CONTROLS, ' ')
    .trim()
    .slice(0, longest);

/** Returns the last line that is not empty. */
export function plainLine(text: string): string {
  const lines = text.split(/[\r\n]+/).map((line) => plainText(line));
  return (lines.findLast((line) => line !== '') ?? '').replace(/\.$/, '');
}

/** A connection is lost after 15 s without an answer. */
const KEEP_ALIVE = ['-o', 'ServerAliveInterval=5', '-o', 'ServerAliveCountMax=3', '-o', 'ConnectTimeout=20'];
/** Printed before the output of a script, because login profiles may print text first. */
export const OUTPUT_MARK = '@braggbench@';
/** Exit code of ssh for its own failures. */
const SSH_FAILED = 255;
const MAX_OUTPUT_BYTES = 2 ** 20;
const COMMAND_TIMEOUT_MS = 120_000;

/** Prompts of ssh appear in its terminal, are forwarded by a program, or are disabled. */
export type PromptMode =
  | { readonly kind: 'terminal' }
  | { readonly kind: 'program'; readonly environment: NodeJS.ProcessEnv }
  | { readonly kind: 'never' };

interface SshOptions {
  readonly host: string;
  readonly asking: PromptMode;
  /** Whether ssh can share connections. The Windows version cannot. */
  readonly shares?: boolean;
  readonly signal: AbortSignal;
}

interface CommandResult {
  /** Null if a signal ended the process. */
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** The login was refused, and a further attempt would be refused too. */
export class LoginRefusedError extends BraggError {}

/** Returns the host name. Throws BraggError `invalid` if ssh could parse it as an option or as two words. */
export function checkedHost(host: string): string {
  const read = sshHostSchema.safeParse(host);
  if (read.success) return read.data;
  throw new BraggError(
    'invalid',
    `Host ${JSON.stringify(host.slice(0, 200))} ${read.error.issues[0]?.message ?? ''}; allowed: letters, digits and . _ - : [ ] %, starting with a letter or digit.`,
  );
}

/** Command for any login shell that runs a script in sh with the login environment. */
const shellCommand = (script: string): string => `exec sh -lc ${quoteForShell(`echo ${OUTPUT_MARK}; ${script}`)}`;

/** Returns the output after the mark. Null if there is no mark. */
export function outputAfterMark(output: Buffer): Buffer | null {
  const at = output.indexOf(`${OUTPUT_MARK}\n`);
  return at < 0 ? null : output.subarray(at + OUTPUT_MARK.length + 1);
}

export class Ssh {
  readonly host: string;
  /** Resolves with the reason when the connection is lost or closed. Never rejects. */
  readonly ended: Promise<string>;
  readonly #master: ChildProcess;
  readonly #words: readonly string[];
  readonly #environment: NodeJS.ProcessEnv;
  readonly #tunnels = new Set<ChildProcess>();

  private constructor(host: string, master: ChildProcess, words: readonly string[], environment: NodeJS.ProcessEnv) {
    this.host = host;
    this.#master = master;
    this.#words = words;
    this.#environment = environment;
    this.ended = new Promise((resolve) => {
      master.on('close', () => {
        for (const tunnel of this.#tunnels) tunnel.kill();
        resolve(`the connection to ${host} was lost`);
      });
    });
  }

  /** Logs in. Throws BraggError with one sentence, or LoginRefusedError if a further attempt would fail too. */
  static async open({ host: given, asking, shares = process.platform !== 'win32', signal }: SshOptions): Promise<Ssh> {
    const host = checkedHost(given);
    signal.throwIfAborted();
    // Use a short name, because the path of a socket is limited to 108 bytes.
    const folder = await mkdtemp(path.join(tmpdir(), 'bb-'));
    const control = path.join(folder, 'c');
    const environment = asking.kind === 'program' ? { ...process.env, ...asking.environment } : process.env;
    const batch = asking.kind === 'never' ? ['-o', 'BatchMode=yes'] : [];
    const sharing = shares ? ['-M', '-S', control, '-o', 'ControlPersist=no'] : ['-o', 'ControlMaster=no'];
    const master = spawn(
      'ssh',
      ['-T', ...sharing, ...batch, ...KEEP_ALIVE, '--', host, `echo ${OUTPUT_MARK}; exec cat`],
      {
        cwd: homedir(),
        env: environment,
        stdio: ['pipe', 'pipe', 'pipe'],
        windowsHide: true,
      },
    );
    const giveUp = (): void => void master.kill();
    signal.addEventListener('abort', giveUp, { once: true });
    master.on('close', () => void rm(folder, { recursive: true, force: true }));
    // Ignore errors of a process that has ended and no longer reads its input.
    master.stdin.on('error', () => undefined);
    try {
      await waitForLogin(host, master, signal);
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
    const through = shares ? ['-S', control, '-o', 'ControlMaster=no'] : [];
    return new Ssh(host, master, ['-T', ...through, ...batch, ...KEEP_ALIVE], environment);
  }

  /** Starts a one-line sh script. The caller handles its input and output. */
  start(script: string): ChildProcess & { readonly stdout: Readable; readonly stderr: Readable } {
    return this.#spawn([...this.#words, '--', this.host, shellCommand(script)]);
  }

  /**
   * Runs a script and returns its output after the text of login profiles. If the exit code is not 0, throws with the
   * message of ssh or of the script.
   */
  async run(
    script: string,
    {
      input = '',
      timeout_ms = COMMAND_TIMEOUT_MS,
    }: { readonly input?: string | Readable; readonly timeout_ms?: number } = {},
  ): Promise<string> {
    const child = this.start(script);
    const ended = outcomeOf(child);
    const late = setTimeout(() => child.kill(), timeout_ms);
    if (typeof input === 'string') child.stdin?.end(input);
    else if (child.stdin !== null) input.pipe(child.stdin);
    const end = await ended.finally(() => clearTimeout(late));
    const printed = outputAfterMark(end.stdout);
    if (end.code === 0 && printed !== null) return printed.toString('utf8');
    throw failureError(this.host, end);
  }

  /** Forwards a port of the local loopback interface to a port of the remote machine. Throws BraggError. */
  async forward(here: number, there: number): Promise<void> {
    const link = ['-L', `127.0.0.1:${here}:127.0.0.1:${there}`];
    const forwardError = (says: string): BraggError =>
      new BraggError('unsupported', `${this.host}: ssh does not forward port ${there}: ${says || 'no reason given'}.`);
    if (this.#words.includes('-S')) {
      const { code, stderr } = await outcomeOf(
        this.#spawn([...this.#words, '-O', 'forward', ...link, '--', this.host]),
      );
      if (code !== 0) throw forwardError(plainLine(stderr));
      return;
    }
    const only = [
      '-o',
      'ExitOnForwardFailure=yes',
      '-o',
      'PermitLocalCommand=yes',
      '-o',
      `LocalCommand=echo ${OUTPUT_MARK}`,
    ];
    const tunnel = this.#spawn([...this.#words, ...only, '-N', ...link, '--', this.host]);
    this.#tunnels.add(tunnel);
    // OpenSSH runs its local command once it has bound the port.
    await new Promise<void>((resolve, reject) => {
      tunnel.stdout.once('data', () => resolve());
      void outcomeOf(tunnel).then(({ stderr }) => reject(forwardError(plainLine(stderr))));
    });
  }

  /** Ends the login and all connections that use it. */
  close(): void {
    for (const tunnel of this.#tunnels) tunnel.kill();
    this.#master.stdin?.end();
    this.#master.kill();
  }

  #spawn(words: readonly string[]): ChildProcess & { readonly stdout: Readable; readonly stderr: Readable } {
    const stdio: ['pipe', 'pipe', 'pipe'] = ['pipe', 'pipe', 'pipe'];
    const child = spawn('ssh', words, { cwd: homedir(), env: this.#environment, stdio, windowsHide: true });
    child.stdin.on('error', () => undefined);
    return child;
  }
}

/** Resolves when the process has ended. Never rejects. A process that prints too much is killed. */
function outcomeOf(child: ChildProcess): Promise<CommandResult> {
  const out: Buffer[] = [];
  let stderr = '';
  let bytes = 0;
  child.stdout?.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > MAX_OUTPUT_BYTES) child.kill();
    else out.push(piece);
  });
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
    stderr = `${stderr}${piece}`.slice(-10_000);
  });
  return new Promise((resolve) => {
    const end = (code: number | null, says = stderr): void =>
      resolve({ code, stdout: Buffer.concat(out), stderr: says });
    child.on('error', (error) => end(SSH_FAILED, error.message));
    child.on('close', (code) => end(code));
  });
}

/** Resolves when the mark has been printed, so that the login is complete. */
function waitForLogin(host: string, master: ChildProcess, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let stdout = '';
    const read = (piece: Buffer): void => {
      stdout = `${stdout}${piece.toString('latin1')}`.slice(-MAX_OUTPUT_BYTES);
      if (!stdout.includes(OUTPUT_MARK)) return;
      master.stdout?.off('data', read).resume();
      resolve();
    };
    master.stdout?.on('data', read);
    let stderr = '';
    master.stderr?.setEncoding('utf8').on('data', (piece: string) => {
      stderr = `${stderr}${piece}`.slice(-10_000);
    });
    master.on('error', (error) => {
      const missing = 'code' in error && error.code === 'ENOENT';
      reject(new LoginRefusedError('io', missing ? 'ssh is not installed on this machine.' : error.message));
    });
    master.on('close', (code) =>
      reject(signal.aborted ? signal.reason : failureError(host, { code, stdout: Buffer.alloc(0), stderr })),
    );
  });
}

/** System messages about a full disk, an exhausted quota or a file size limit. */
const FULL = /no space left|quota exceeded|file size limit|file too large/i;
/** Exit code of a shell whose command was killed by SIGXFSZ. */
const FILE_LIMIT = 128 + 25;

/** Describes a failed command in one sentence. */
function failureError(host: string, { code, stderr }: CommandResult): BraggError {
  const says = plainLine(stderr);
  if (FULL.test(stderr) || code === FILE_LIMIT) {
    const line = stderr.split('\n').find((each) => FULL.test(each));
    const reason = line === undefined ? 'the file size limit is reached' : plainLine(line);
    return new BraggError('no-space', `${host}: its disk is full (${reason}).`);
  }
  if (code === null) return new BraggError('io', `${host} did not answer in time.`);
  if (code !== SSH_FAILED) {
    return new BraggError('unsupported', `${host}: ${says || `the command exited with code ${code}`}.`);
  }
  const forwardError =
    /permission denied|verification failed|passphrase|could not resolve|bad configuration|too many/i.test(stderr);
  const text = `ssh ${host} failed: ${says || 'no reason given'}.`.replace(/\.\.$/, '.');
  return forwardError ? new LoginRefusedError('io', text) : new BraggError('disconnected', text);
}
