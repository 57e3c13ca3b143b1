/** Live of all pages. */
import { BraggError } from '../../../contract/errors.ts';
import type { WhatIfFrame } from '../../../contract/scenario/transport/what-if.ts';
import type { Sink } from '../../io/flow/sink.ts';
import { WhatIf, type WhatIfAsked, type WhatIfParts } from './what-if.ts';

export class WhatIfs {
  readonly #parts: WhatIfParts;
  readonly #open = new Map<string, WhatIf>();

  constructor(parts: WhatIfParts) {
    this.#parts = parts;
  }

  /** Opens a Live session; the returned function ends it. Throws BraggError `exists` if the name is in use. */
  open(name: string, sink: Sink<WhatIfFrame>): () => void {
    if (this.#open.has(name)) throw new BraggError('exists', 'This page is in Live already.');
    const live = new WhatIf(this.#parts, sink);
    this.#open.set(name, live);
    return () => {
      if (this.#open.get(name) === live) this.#open.delete(name);
      void live.end();
    };
  }

  /** Throws BraggError `not-found` where none of that name is open. */
  ask(name: string, asked: WhatIfAsked): void {
    const live = this.#open.get(name);
    if (live === undefined) throw new BraggError('not-found', 'Live has ended for this page.');
    live.ask(asked);
  }

  async close(): Promise<void> {
    const open = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(open.map((live) => live.end()));
  }
}
