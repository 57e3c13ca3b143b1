/**
 * Processes for user kernels of a benchmark's thread: the thread asks its host,
 * which starts them in the way of its shell and passes every message on.
 */
import type { ChildLink, Ended, StartChild } from '../../../io/processes/link.ts';
import type { ToChild } from './messages.ts';

export type FromRelay =
  | { readonly kind: 'child-start'; readonly child: number }
  | { readonly kind: 'child-send'; readonly child: number; readonly message: ToChild }
  | { readonly kind: 'child-kill'; readonly child: number };

export type ToRelay =
  | { readonly kind: 'child-message'; readonly child: number; readonly message: unknown }
  | { readonly kind: 'child-output'; readonly child: number; readonly text: string }
  | { readonly kind: 'child-ended'; readonly child: number; readonly how: Ended };

interface Listeners {
  message: (message: unknown) => void;
  output: (text: string) => void;
  ended: (how: Ended) => void;
}

/** The thread's side. */
export class RelayedChildren {
  readonly #post: (message: FromRelay) => void;
  readonly #children = new Map<number, Listeners>();
  #count = 0;

  constructor(post: (message: FromRelay) => void) {
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
      send: (message) => this.#post({ kind: 'child-send', child, message: message as ToChild }),
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

  take(message: ToRelay): void {
    const listeners = this.#children.get(message.child);
    if (message.kind === 'child-message') listeners?.message(message.message);
    else if (message.kind === 'child-output') listeners?.output(message.text);
    else {
      this.#children.delete(message.child);
      listeners?.ended(message.how);
    }
  }
}

/** The host's side. */
export class ChildrenForThread {
  readonly #start: StartChild;
  readonly #post: (message: ToRelay) => void;
  readonly #children = new Map<number, ChildLink>();

  constructor(start: StartChild, post: (message: ToRelay) => void) {
    this.#start = start;
    this.#post = post;
  }

  take(message: FromRelay): void {
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

  /** Ends those that the thread has left. */
  close(): void {
    for (const link of this.#children.values()) link.kill();
  }
}

export const isFromRelay = (message: { readonly kind: string }): message is FromRelay =>
  message.kind.startsWith('child-');
export const isToRelay = (message: { readonly kind: string }): message is ToRelay => message.kind.startsWith('child-');
