/**
 * The host's side of a process that runs a user kernel. If the process crashes, only the current call fails. Also
 * stores the text that kernels print: its beginning, its end, and the number of characters left out in between.
 */
import { BraggError } from '../../../../contract/errors.ts';
import type { PrintedOutput } from '../../../../contract/user-kernels.ts';
import { formatBytes } from '../../../../domain/values/units.ts';
import type { ChildLink, ProcessExit, StartChild } from '../../../io/processes/link.ts';
import {
  type AddonFactory,
  fromChildSchema,
  type MessageFromChild,
  type MessageToChild,
  type UsageBetweenCalls,
  type UserKernelCode,
} from './relay.ts';

/** Number of characters of the latest output that an error message quotes. */
const QUOTED_CHARACTERS = 2000;
/** Time limit in ms for starting a process. Starting Node.js and loading the addon needs a fraction of a second. */
const START_MS = 30_000;
/** Time in ms after which a cancelled process is killed. A cancelled run normally ends within one step. */
const CANCEL_MS = 5_000;

const OTHERS_UNAFFECTED = ' Only its own process was lost.';

/** Descriptions of the signals and Windows exit codes with which a process may end. */
const endTexts: Readonly<Record<string, string>> = {
  SIGSEGV: 'it accessed memory that it does not own (SIGSEGV)',
  SIGBUS: 'it accessed memory that does not exist (SIGBUS)',
  SIGFPE: 'it divided an integer by zero (SIGFPE)',
  SIGILL: 'it used an instruction that the processor does not support (SIGILL)',
  SIGABRT: 'it called abort, or an exception was not caught (SIGABRT)',
  SIGTRAP: 'it ran into a trap (SIGTRAP)',
  SIGKILL: 'the system killed it, most likely because of its memory use (SIGKILL)',
  '3221225477': 'it accessed memory that it does not own (access violation)',
  '3221225725': 'its stack overflowed',
  '3221225620': 'it divided an integer by zero',
};

/** Processor time in seconds that is allowed for receiving a call and sending its result. */
const MESSAGES_S = 0.002;
const noUsage: UsageBetweenCalls = { cpu_s: 0, elapsed_s: 0 };

interface PendingRequest {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: BraggError) => void;
}

export class UserKernelProcess {
  /** Name of the kernel's file; messages begin with it. */
  readonly name: string;
  readonly #link: ChildLink;
  #calls = 0;
  readonly #pending = new Map<number | MessageFromChild['kind'], PendingRequest>();
  #report: (value: unknown) => void = () => undefined;
  #over: BraggError | null = null;
  #output = '';
  #between: UsageBetweenCalls = noUsage;

  private constructor(name: string, link: ChildLink, onOutput: (text: string) => void) {
    this.name = name;
    this.#link = link;
    link.onMessage((message) => this.#receive(message));
    link.onOutput((text) => {
      this.#output = (this.#output + text).slice(-QUOTED_CHARACTERS);
      onOutput(text);
    });
    link.onEnded((how) => this.#end(new BraggError('device', this.#crashMessage(how))));
  }

  /** Starts a process. `onOutput` receives the text that the kernel prints. */
  static async start(
    name: string,
    startChild: StartChild,
    onOutput: (text: string) => void = () => undefined,
  ): Promise<UserKernelProcess> {
    const kernel = new UserKernelProcess(name, startChild('user-kernel-child'), onOutput);
    await kernel.withTimeLimit(START_MS, 'did not start', kernel.#addPending('ready'));
    return kernel;
  }

  /** Whether the process can be used: false once it has ended or failed. */
  get isUsable(): boolean {
    return this.#over === null;
  }

  get output(): string {
    return this.#output;
  }

  /** Processor time that the process used outside of calls, since the last call of this method. */
  takeUsageBetweenCalls(): UsageBetweenCalls {
    const between = this.#between;
    this.#between = noUsage;
    return between;
  }

  load(code: UserKernelCode, memory_bytes: number): Promise<unknown> {
    return this.#sendRequest({ kind: 'load', code, memory_bytes }, 'loaded');
  }

  create(factory: AddonFactory, problem: unknown): Promise<unknown> {
    return this.#sendRequest({ kind: 'create', factory, problem }, 'created');
  }

  async compile(
    request: Readonly<Record<string, unknown>>,
    memory_bytes: number,
  ): Promise<{ image: Uint8Array; log: string }> {
    return (await this.#sendRequest({ kind: 'compile', request, memory_bytes }, 'compiled')) as {
      image: Uint8Array;
      log: string;
    };
  }

  /**
   * Calls a method of the object in the process. `onReport` receives the values that the method passes to its callback.
   * `light`: arrays of the result stay in the process.
   */
  call(method: string, args: readonly unknown[], onReport?: (value: unknown) => void, light = false): Promise<unknown> {
    if (onReport !== undefined) this.#report = onReport;
    this.#calls += 1;
    const call = this.#calls;
    return this.#sendRequest({ kind: 'call', call, method, args, reports: onReport !== undefined, light }, call);
  }

  /** Waits for `work`. Kills the process if that needs longer than `limit_ms`. */
  async withTimeLimit<T>(limit_ms: number, says: string, work: Promise<T>): Promise<T> {
    const late = setTimeout(() => this.fail('device', `${this.name} ${says} within ${limit_ms / 1000} s`), limit_ms);
    try {
      return await work;
    } finally {
      clearTimeout(late);
    }
  }

  /** Cancels the current call. Kills the process if the call does not end soon. */
  cancel(): void {
    if (!this.isUsable) return;
    void this.call('cancel', []).catch(() => undefined);
    const late = setTimeout(
      () => this.fail('device', `${this.name} did not stop within ${CANCEL_MS / 1000} s of being cancelled`),
      CANCEL_MS,
    );
    late.unref();
    this.#whenIdle = () => clearTimeout(late);
  }

  /** Kills the process, and rejects all pending calls with the reason. */
  fail(code: BraggError['code'], reason: string): void {
    this.#end(new BraggError(code, `${reason}. Its process was ended; nothing else is affected.`));
    this.#link.kill();
  }

  /** Kills the process, because it is no longer needed, and rejects pending calls. */
  close(): void {
    this.#end(new BraggError('disconnected', `The process of ${this.name} has ended.`));
    this.#link.kill();
  }

  #whenIdle: () => void = () => undefined;

  #addPending(key: number | MessageFromChild['kind']): Promise<unknown> {
    if (this.#over !== null) return Promise.reject(this.#over);
    return new Promise((resolve, reject) => this.#pending.set(key, { resolve, reject }));
  }

  #sendRequest(message: MessageToChild, key: number | MessageFromChild['kind']): Promise<unknown> {
    const answer = this.#addPending(key);
    if (this.#over === null) this.#link.send(message);
    return answer;
  }

  #completePending(key: number | MessageFromChild['kind'], use: (one: PendingRequest) => void): void {
    const one = this.#pending.get(key);
    this.#pending.delete(key);
    if (one !== undefined) use(one);
    if (this.#pending.size === 0) this.#whenIdle();
  }

  #receive(raw: unknown): void {
    const parsed = fromChildSchema.safeParse(raw);
    if (!parsed.success) {
      this.fail('device', `${this.name} damaged its kernel process: it sent an invalid message`);
      return;
    }
    const message = parsed.data;
    switch (message.kind) {
      case 'report':
        this.#report(message.value);
        return;
      case 'result': {
        const { cpu_s, elapsed_s } = message.between ?? noUsage;
        this.#between = {
          cpu_s: this.#between.cpu_s + Math.max(0, cpu_s - MESSAGES_S),
          elapsed_s: this.#between.elapsed_s + elapsed_s,
        };
        this.#completePending(message.call, ({ resolve }) => resolve(message.value));
        return;
      }
      case 'too-large':
        this.fail('memory', `${this.name} used ${formatBytes(message.rss_bytes)} of memory, more than allowed`);
        return;
      case 'failed': {
        // An exception in the user's code must not be reported as an internal error of Braggbench.
        const code = message.code === 'internal' ? 'device' : message.code;
        const error = Object.assign(new BraggError(code, this.#withKernelName(message)), { log: message.log });
        const key = message.call ?? [...this.#pending.keys()].find((one) => typeof one === 'string');
        if (key !== undefined) this.#completePending(key, ({ reject }) => reject(error));
        return;
      }
      case 'compiled':
        this.#completePending('compiled', ({ resolve }) => resolve(message));
        return;
      default:
        this.#completePending(message.kind, ({ resolve }) => resolve(undefined));
    }
  }

  /** Message of an engine error that begins with the name of the kernel's file. */
  #withKernelName({ code, message }: Extract<MessageFromChild, { kind: 'failed' }>): string {
    if (code === 'memory') return `${this.name} requested more memory than allowed: ${message}`;
    // The engine's message concerns the whole program, but a device that is lost in this process remains usable in
    // others.
    const here = message.replace(/ The device is not used again until the program is restarted\.$/, OTHERS_UNAFFECTED);
    return here.startsWith(this.name) ? here : `${this.name}: ${here}`;
  }

  #end(error: BraggError): void {
    if (this.#over !== null) return;
    this.#over = error;
    this.#whenIdle();
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }

  #crashMessage({ code, signal }: ProcessExit): string {
    const why = endTexts[signal ?? String(code === null ? '' : code >>> 0)];
    const exit = signal === null ? `it exited with code ${code}` : `it was killed by ${signal}`;
    const said = this.#output.trim().split('\n').slice(-6).join('\n');
    const last = said === '' ? '' : ` Its last output:\n${said}`;
    return `${this.name} crashed: ${why ?? exit}.${OTHERS_UNAFFECTED}${last}`;
  }
}

/**
 * Number of characters to store from the beginning and from the end of the output. A kernel that prints in every thread
 * writes gigabytes.
 */
const SAVED_CHARACTERS = 32 * 1024;

export class PrintedText {
  #first = '';
  #last = '';
  #left_out = 0;

  add(text: string): void {
    const room = SAVED_CHARACTERS - this.#first.length;
    this.#first += text.slice(0, room);
    const after = this.#last + text.slice(Math.max(room, 0));
    this.#last = after.slice(-SAVED_CHARACTERS);
    this.#left_out += after.length - this.#last.length;
  }

  get text(): PrintedOutput {
    return { first: this.#first, last: this.#last, left_out: this.#left_out };
  }
}
