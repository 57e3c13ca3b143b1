import { vi } from 'vitest';
import type { Client } from '../../../renderer/data/client/client.ts';

/** A host whose answers the test triggers. */
export class FakeHost {
  readonly calls: {
    readonly method: string;
    readonly params: Record<string, unknown>;
    answer(value: unknown): void;
    fail(error: Error): void;
  }[] = [];
  readonly streams: {
    readonly params: Readonly<Record<string, unknown>>;
    closed: boolean;
    frame(value: unknown): unknown;
    /** Delivers a frame that was in transit when the page closed the stream. */
    late(value: unknown): unknown;
    end(error: Error | null): void;
  }[] = [];

  readonly client = {
    call: (method: string, params: Record<string, unknown>) =>
      new Promise((resolve, reject) => void this.calls.push({ method, params, answer: resolve, fail: reject })),
    stream: (
      _name: string,
      params: FakeHost['streams'][number]['params'],
      reader: { frame(value: unknown): unknown; end?(error: Error | null): void },
    ) => {
      const stream = {
        params,
        closed: false,
        frame: (value: unknown) => (stream.closed ? null : reader.frame(value)),
        late: (value: unknown) => reader.frame(value),
        end: (error: Error | null) => reader.end?.(error),
      };
      this.streams.push(stream);
      const close = () => {
        stream.closed = true;
      };
      return { close };
    },
  } as unknown as Client;

  pending(method: string) {
    const found = this.calls.filter((call) => call.method === method).at(-1);
    if (found === undefined) throw new Error(`${method} was not called`);
    return found;
  }
}

export const settlePromises = () => vi.advanceTimersByTimeAsync(1);
