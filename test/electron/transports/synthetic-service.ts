/** A small service with the behaviours that the protocol has to carry; no physics. */
import { BraggError } from '../../../electron/contract/errors.ts';
import type { StreamPolicy } from '../../../electron/contract/wire/streams.ts';
import type { Service } from '../../../electron/host/app/service/service.ts';
import type { Sink } from '../../../electron/host/io/flow/sink.ts';

export class SyntheticService implements Service {
  /** Sinks of the streams that are open, in the order of opening. */
  readonly sinks: Sink<unknown>[] = [];
  readonly stopped: string[] = [];
  readonly calls: string[] = [];
  /** Frames that were really made, per stream name. */
  made = 0;
  /** Lets `slow` answer. */
  release = (): void => undefined;
  readonly #released = new Promise<void>((resolve) => {
    this.release = resolve;
  });

  async callByName(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    this.calls.push(method);
    switch (method) {
      case 'echo':
        return params;
      case 'values':
        return Array.from({ length: Number(params) }, (_, i) => `${i}${'x'.repeat(10_000)}`);
      case 'bytes':
        return new Uint8Array(Number(params));
      case 'slow':
        await this.#released;
        return 'slow answer';
      case 'fail':
        throw new BraggError('invalid', 'The beam energy is out of bounds.', [
          {
            severity: 'error',
            file: 'a.json',
            path: 'beam.energy_MeV',
            line: 3,
            column: 5,
            message: 'too high',
            value: '900',
            allowed: '1 to 250 MeV',
          },
        ]);
      case 'crash':
        throw new TypeError('a fault of the host');
      case 'not-finite':
        return { value: Number.NaN };
      case 'until-cancelled':
        await new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped')));
        });
        return null;
      case 'finishes-anyway':
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return 'kept';
      default:
        throw new BraggError('bad-request', `There is no method "${method}".`);
    }
  }

  policyOf(stream: string): StreamPolicy {
    if (stream === 'latest' || stream === 'lossless') return stream;
    throw new BraggError('bad-request', `There is no stream "${stream}".`);
  }

  open(stream: string, params: unknown, sink: Sink<unknown>): () => void {
    if (params === 'refuse') throw new BraggError('not-found', 'There is no such run.');
    this.sinks.push(sink);
    return () => this.stopped.push(stream);
  }

  /** Offers numbered frames to the newest stream. */
  offer(from: number, to: number, payload?: () => unknown): void {
    for (let i = from; i <= to; i += 1) {
      this.sinks.at(-1)?.offer(() => {
        this.made += 1;
        return payload === undefined ? i : payload();
      });
    }
  }
}
