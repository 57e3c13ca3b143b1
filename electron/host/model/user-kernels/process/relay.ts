/**
 * Lets a benchmark's thread use processes for user kernels, although only the host can start them. The thread requests
 * processes from the host, which forwards all messages between them. Also defines the messages between the host and a
 * process. They do not depend on the workload: the process creates an object of the addon and calls its methods by
 * name.
 */
import { z } from 'zod';
import { errorCodeSchema } from '../../../../contract/errors.ts';
import type { ChildLink, ProcessExit, StartChild } from '../../../io/processes/link.ts';

/** Code of a user kernel, which the process loads before it creates an object. */
export type UserKernelCode =
  | { readonly kind: 'library'; readonly file: string }
  /** Code in Python: paths of the interpreter, of the program that runs candidates, and of the trusted candidate. */
  | {
      readonly kind: 'python';
      readonly id: string;
      readonly python: string;
      readonly runner: string;
      readonly file: string;
    }
  | { readonly kind: 'kernels'; readonly workload: string; readonly name: string; readonly image: Uint8Array };

/** Functions of the addon that create an object whose methods the host may call. */
export type AddonFactory = 'createTransport' | 'createDiffraction' | 'createTask';

export type MessageToChild =
  | { readonly kind: 'load'; readonly code: UserKernelCode; readonly memory_bytes: number }
  | { readonly kind: 'create'; readonly factory: AddonFactory; readonly problem: unknown }
  /**
   * Calls a method. `reports`: its first argument is a callback, and the values passed to it are sent as messages
   * `report`. `light`: arrays in the result are not sent.
   */
  | {
      readonly kind: 'call';
      readonly call: number;
      readonly method: string;
      readonly args: readonly unknown[];
      readonly reports: boolean;
      readonly light: boolean;
    }
  | { readonly kind: 'compile'; readonly request: Readonly<Record<string, unknown>>; readonly memory_bytes: number };

/** Times in seconds. */
const betweenSchema = z.strictObject({ cpu_s: z.number(), elapsed_s: z.number() });
export type UsageBetweenCalls = Readonly<z.infer<typeof betweenSchema>>;

const failure = { code: errorCodeSchema, message: z.string(), log: z.string().nullable() };

export const fromChildSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready') }),
  z.strictObject({ kind: z.literal('loaded') }),
  z.strictObject({ kind: z.literal('created') }),
  z.strictObject({ kind: z.literal('report'), value: z.unknown() }),
  z.strictObject({
    kind: z.literal('result'),
    call: z.number().int(),
    value: z.unknown(),
    /** Processor time and elapsed time since the end of the previous call; absent if unknown. */
    between: betweenSchema.optional(),
  }),
  z.strictObject({ kind: z.literal('failed'), call: z.number().int().nullable(), ...failure }),
  z.strictObject({
    kind: z.literal('compiled'),
    image: z.custom<Uint8Array>((one) => one instanceof Uint8Array),
    log: z.string(),
  }),
  /** Sent when the process exceeds its memory limit. */
  z.strictObject({ kind: z.literal('too-large'), rss_bytes: z.number() }),
]);
export type MessageFromChild = z.infer<typeof fromChildSchema>;

export type MessageFromRelay =
  | { readonly kind: 'child-start'; readonly child: number }
  | { readonly kind: 'child-send'; readonly child: number; readonly message: MessageToChild }
  | { readonly kind: 'child-kill'; readonly child: number };

export type MessageToRelay =
  | { readonly kind: 'child-message'; readonly child: number; readonly message: unknown }
  | { readonly kind: 'child-output'; readonly child: number; readonly text: string }
  | { readonly kind: 'child-ended'; readonly child: number; readonly how: ProcessExit };

interface Listeners {
  message: (message: unknown) => void;
  output: (text: string) => void;
  ended: (how: ProcessExit) => void;
}

/** The thread's side: requests processes from the host, and sends and receives their messages. */
export class RelayedChildren {
  readonly #post: (message: MessageFromRelay) => void;
  readonly #children = new Map<number, Listeners>();
  #count = 0;

  constructor(post: (message: MessageFromRelay) => void) {
    this.#post = post;
  }

  readonly start: StartChild = (): ChildLink => {
    this.#count += 1;
    const child = this.#count;
    const nothing = (): void => undefined;
    const listeners: Listeners = { message: nothing, output: nothing, ended: nothing };
    this.#children.set(child, listeners);
    this.#post({ kind: 'child-start', child });
    return {
      send: (message) => this.#post({ kind: 'child-send', child, message: message as MessageToChild }),
      onMessage: (listener) => {
        listeners.message = listener;
      },
      onOutput: (listener) => {
        listeners.output = listener;
      },
      onEnded: (listener) => {
        listeners.ended = listener;
      },
      kill: () => this.#post({ kind: 'child-kill', child }),
    };
  };

  receive(message: MessageToRelay): void {
    const listeners = this.#children.get(message.child);
    if (message.kind === 'child-message') listeners?.message(message.message);
    else if (message.kind === 'child-output') listeners?.output(message.text);
    else {
      this.#children.delete(message.child);
      listeners?.ended(message.how);
    }
  }
}

/** The host's side: starts the processes that a thread requests, and forwards their messages. */
export class ChildrenForThread {
  readonly #start: StartChild;
  readonly #post: (message: MessageToRelay) => void;
  readonly #children = new Map<number, ChildLink>();

  constructor(start: StartChild, post: (message: MessageToRelay) => void) {
    this.#start = start;
    this.#post = post;
  }

  receive(message: MessageFromRelay): void {
    const { child } = message;
    if (message.kind === 'child-send') this.#children.get(child)?.send(message.message);
    else if (message.kind === 'child-kill') this.#children.get(child)?.kill();
    else {
      const link = this.#start('user-kernel-child');
      this.#children.set(child, link);
      link.onMessage((value) => this.#post({ kind: 'child-message', child, message: value }));
      link.onOutput((text) => this.#post({ kind: 'child-output', child, text }));
      link.onEnded((how) => {
        this.#children.delete(child);
        this.#post({ kind: 'child-ended', child, how });
      });
    }
  }

  /** Kills the remaining processes of the thread. */
  close(): void {
    for (const link of this.#children.values()) link.kill();
  }
}

export const isFromRelay = (message: { readonly kind: string }): message is MessageFromRelay =>
  message.kind.startsWith('child-');
export const isToRelay = (message: { readonly kind: string }): message is MessageToRelay =>
  message.kind.startsWith('child-');
