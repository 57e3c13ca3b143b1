/** One process with one user kernel in it: what fails there, however, fails one call here. */
import { BraggError } from '../../../../contract/errors.ts';
import type { ChildLink, Ended, StartChild } from '../../../io/processes/link.ts';
import { type Factory, type FromChild, fromChildSchema, type ToChild, type UserKernelCode } from './messages.ts';

/** The variant's last words that an error repeats. */
const OUTPUT_KEPT = 2000;
/** Starting Node and loading the addon takes a fraction of a second. */
const START_MS = 30_000;
/** A run ends within a step after it was cancelled; one that does not is ended. */
const CANCEL_MS = 5_000;

const ONLY_ITS_OWN = ' Only its own process was lost.';

/** Descriptions of the signals and Windows exit codes that end a process. */
const ends: Readonly<Record<string, string>> = {
  SIGSEGV: 'it read or wrote memory that is not its own (SIGSEGV)',
  SIGBUS: 'it read or wrote memory that is not there (SIGBUS)',
  SIGFPE: 'it divided a whole number by zero (SIGFPE)',
  SIGILL: 'it reached an instruction that the processor does not have (SIGILL)',
  SIGABRT: 'it called abort, or an exception left a thread (SIGABRT)',
  SIGTRAP: 'it ran into a trap (SIGTRAP)',
  SIGKILL: 'the system ended it, most likely for the memory that it took (SIGKILL)',
  '3221225477': 'it read or wrote memory that is not its own (access violation)',
  '3221225725': 'its stack overflowed',
  '3221225620': 'it divided a whole number by zero',
};

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: BraggError) => void;
}

export class UserKernelProcess {
  /** The file's name, which every message begins with. */
  readonly name: string;
  readonly #link: ChildLink;
  #calls = 0;
  readonly #pending = new Map<number | FromChild['kind'], Pending>();
  #report: (value: unknown) => void = () => undefined;
  #over: BraggError | null = null;
  #output = '';

  private constructor(name: string, link: ChildLink, onOutput: (text: string) => void) {
    this.name = name;
    this.#link = link;
    link.onMessage((message) => this.#take(message));
    link.onOutput((text) => {
      this.#output = (this.#output + text).slice(-OUTPUT_KEPT);
      onOutput(text);
    });
    link.onEnded((how) => this.#end(new BraggError('device', this.#lastWords(how))));
  }

  /** `onOutput`: gets what its code prints. */
  static async start(
    name: string,
    startChild: StartChild,
    onOutput: (text: string) => void = () => undefined,
  ): Promise<UserKernelProcess> {
    const kernel = new UserKernelProcess(name, startChild('user-kernel-child'), onOutput);
    await kernel.within(START_MS, 'did not start', kernel.#wait('ready'));
    return kernel;
  }

  /** True until it has ended or failed: a process that failed is not used again. */
  get usable(): boolean {
    return this.#over === null;
  }

  get output(): string {
    return this.#output;
  }

  load(code: UserKernelCode, memory_bytes: number): Promise<unknown> {
    return this.#ask({ kind: 'load', code, memory_bytes }, 'loaded');
  }

  create(factory: Factory, problem: unknown): Promise<unknown> {
    return this.#ask({ kind: 'create', factory, problem }, 'created');
  }

  async compile(
    request: Readonly<Record<string, unknown>>,
    memory_bytes: number,
  ): Promise<{ image: Uint8Array; log: string }> {
    return (await this.#ask({ kind: 'compile', request, memory_bytes }, 'compiled')) as {
      image: Uint8Array;
      log: string;
    };
  }

  /** Calls a method of what was created. `onReport` gets the values of its callback; `light` leaves arrays there. */
  call(method: string, args: readonly unknown[], onReport?: (value: unknown) => void, light = false): Promise<unknown> {
    if (onReport !== undefined) this.#report = onReport;
    this.#calls += 1;
    const call = this.#calls;
    return this.#ask({ kind: 'call', call, method, args, reports: onReport !== undefined, light }, call);
  }

  /** Ends the process unless `work` is done in time. */
  async within<T>(limit_ms: number, says: string, work: Promise<T>): Promise<T> {
    const late = setTimeout(() => this.fail('device', `${this.name} ${says} within ${limit_ms / 1000} s`), limit_ms);
    try {
      return await work;
    } finally {
      clearTimeout(late);
    }
  }

  /** Cancels what runs; what does not stop is ended. */
  cancel(): void {
    if (!this.usable) return;
    void this.call('cancel', []).catch(() => undefined);
    const late = setTimeout(
      () => this.fail('device', `${this.name} did not stop within ${CANCEL_MS / 1000} s of being cancelled`),
      CANCEL_MS,
    );
    late.unref();
    this.#whenIdle = () => clearTimeout(late);
  }

  /** Ends the process, and every call that waits for it with one message. */
  fail(code: BraggError['code'], reason: string): void {
    this.#end(new BraggError(code, `${reason}. Its process was ended; nothing else is affected.`));
    this.#link.kill();
  }

  /** Ends a process that is no longer needed; pending calls are rejected. */
  close(): void {
    this.#end(new BraggError('disconnected', `The process of ${this.name} has ended.`));
    this.#link.kill();
  }

  #whenIdle: () => void = () => undefined;

  #wait(key: number | FromChild['kind']): Promise<unknown> {
    if (this.#over !== null) return Promise.reject(this.#over);
    return new Promise((resolve, reject) => this.#pending.set(key, { resolve, reject }));
  }

  #ask(message: ToChild, key: number | FromChild['kind']): Promise<unknown> {
    const answer = this.#wait(key);
    if (this.#over === null) this.#link.send(message);
    return answer;
  }

  #settle(key: number | FromChild['kind'], use: (one: Pending) => void): void {
    const one = this.#pending.get(key);
    this.#pending.delete(key);
    if (one !== undefined) use(one);
    if (this.#pending.size === 0) this.#whenIdle();
  }

  #take(raw: unknown): void {
    const parsed = fromChildSchema.safeParse(raw);
    if (!parsed.success) {
      this.fail('device', `${this.name} damaged its kernel process: it sent what is no message`);
      return;
    }
    const message = parsed.data;
    switch (message.kind) {
      case 'report':
        this.#report(message.value);
        return;
      case 'result':
        this.#settle(message.call, ({ resolve }) => resolve(message.value));
        return;
      case 'too-large':
        this.fail('memory', `${this.name} took ${(message.rss_bytes / 1e9).toFixed(1)} GB of memory, more than it may`);
        return;
      case 'failed': {
        // An exception in the user's code is not an internal error of this program.
        const code = message.code === 'internal' ? 'device' : message.code;
        const error = Object.assign(new BraggError(code, this.#named(message)), { log: message.log });
        const key = message.call ?? [...this.#pending.keys()].find((one) => typeof one === 'string');
        if (key !== undefined) this.#settle(key, ({ reject }) => reject(error));
        return;
      }
      case 'compiled':
        this.#settle('compiled', ({ resolve }) => resolve(message));
        return;
      default:
        this.#settle(message.kind, ({ resolve }) => resolve(undefined));
    }
  }

  /** Errors of the engine name the variant's file first. */
  #named({ code, message }: Extract<FromChild, { kind: 'failed' }>): string {
    if (code === 'memory') return `${this.name} asked for more memory than it may take: ${message}`;
    // A lost device is lost to that process.
    const here = message.replace(/ The device is not used again until the program is restarted\.$/, ONLY_ITS_OWN);
    return here.startsWith(this.name) ? here : `${this.name}: ${here}`;
  }

  #end(error: BraggError): void {
    if (this.#over !== null) return;
    this.#over = error;
    this.#whenIdle();
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }

  #lastWords({ code, signal }: Ended): string {
    const why = ends[signal ?? String(code === null ? '' : code >>> 0)];
    const exit = signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
    const said = this.#output.trim().split('\n').slice(-6).join('\n');
    const last = said === '' ? '' : ` Its last output:\n${said}`;
    return `${this.name} crashed: ${why ?? exit}.${ONLY_ITS_OWN}${last}`;
  }
}
