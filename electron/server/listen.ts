/** Binds the server to a port of the loopback interface. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BraggError, messageOf } from '../contract/errors.ts';

const LOOPBACK = '127.0.0.1';
/** The page keeps its settings per address, so the port stays the same from start to start where it can. */
const DEFAULT_PORT = 7340;
const PORTS_TRIED = 20;

function bind(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: LOOPBACK, port, exclusive: true }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

/** A given port must be available (0: any). Null: the default port or the next free one. */
export async function listen(server: Server, port: number | null): Promise<number> {
  const last = (port ?? DEFAULT_PORT) + (port === null ? PORTS_TRIED : 1) - 1;
  for (let candidate = port ?? DEFAULT_PORT; ; candidate += 1) {
    try {
      return await bind(server, candidate);
    } catch (error) {
      if (isBusy(error) && candidate < last) continue;
      const reason = isBusy(error)
        ? `Port ${candidate} is in use by another program. Choose another with --port, or leave it out.`
        : `Port ${candidate} cannot be opened: ${messageOf(error)}`;
      throw new BraggError('io', reason, [], { cause: error });
    }
  }
}
