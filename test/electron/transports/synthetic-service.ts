/**
 * A small service without physics that shows all behaviours that the protocol must carry. Also capabilities of a
 * machine without a GPU, for tests that need a hello message.
 */
import type { Capabilities } from '../../../electron/contract/capabilities.ts';
import { BraggError } from '../../../electron/contract/errors.ts';
import type { StreamPolicy } from '../../../electron/contract/wire/streams.ts';
import type { Service } from '../../../electron/host/app/service/service.ts';
import type { FrameSink } from '../../../electron/host/io/flow/subscribers.ts';

export class SyntheticService implements Service {
  /** Sinks of the open streams, in the order of opening. */
  readonly sinks: FrameSink<unknown>[] = [];
  readonly stopped: string[] = [];
  readonly calls: string[] = [];
  /** Number of frames that the service has made. */
  made = 0;
  /** Lets the method `slow` answer. */
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
        throw new BraggError('invalid', 'The beam energy is out of range.', [
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
        throw new BraggError('bad-request', `The method "${method}" does not exist.`);
    }
  }

  policyOf(stream: string): StreamPolicy {
    if (stream === 'latest' || stream === 'lossless') return stream;
    throw new BraggError('bad-request', `The stream "${stream}" does not exist.`);
  }

  open(stream: string, params: unknown, sink: FrameSink<unknown>): () => void {
    if (params === 'refuse') throw new BraggError('not-found', 'This run does not exist.');
    this.sinks.push(sink);
    return () => this.stopped.push(stream);
  }

  /** Sends numbered frames to the newest stream. */
  offer(from: number, to: number, payload?: () => unknown): void {
    for (let i = from; i <= to; i += 1) {
      this.sinks.at(-1)?.offer(() => {
        this.made += 1;
        return payload === undefined ? i : payload();
      });
    }
  }
}

const reason = 'The driver library libcuda.so.1 was not found.';
const missingLibrary = { available: false, reason, version: null, file: null };

export const testCapabilities: Capabilities = {
  version: '0.1.0',
  build: 'test',
  compiler: 'test',
  cpu: { name: 'test', logicalCores: 2, isa: 'avx2', memory_bytes: 2 ** 33, os: 'test' },
  devices: {
    cuda: { available: false, reason: missingLibrary.reason, driver: null, version: null, devices: [] },
    nvrtc: missingLibrary,
    nvml: missingLibrary,
    cupti: missingLibrary,
    cublas: missingLibrary,
    cublasLt: missingLibrary,
  },
  variants: [],
  shell: { kind: 'none', dialogs: false, window: false, menus: false, libraryFolder: '', remote: null },
  memoryLimit_bytes: 2 ** 32,
  openFirst: null,
  runFirst: false,
};
