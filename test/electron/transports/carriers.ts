/** Every Port implementation as a pair of connected ends, for the conformance suite. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { MessageChannel } from 'node:worker_threads';
import { WebSocketServer } from 'ws';
import { MAX_FRAME_BYTES } from '../../../electron/contract/wire/frame.ts';
import type { Port } from '../../../electron/contract/wire/protocol.ts';
import {
  type DomMessagePort,
  type MainMessagePort,
  mainPort,
  pagePort,
} from '../../../electron/transports/message-port.ts';
import { acceptedSocketPort, inProcessPorts } from '../../../electron/transports/websocket-host.ts';
import { openSocketPort } from '../../../electron/transports/websocket-page.ts';

export interface Carrier {
  /** A new connection: the page's end, after the host has accepted its own. */
  connect(): Promise<Port>;
  close(): Promise<void>;
}

type CarrierName = 'in-process' | 'WebSocket' | 'message port';

/** Starts a carrier that passes the host's ends to `accept`. */
export async function startCarrier(name: CarrierName, accept: (port: Port) => void): Promise<Carrier> {
  switch (name) {
    case 'in-process':
      return {
        connect: async () => {
          const [page, host] = inProcessPorts();
          accept(host);
          return page;
        },
        close: async () => undefined,
      };
    case 'message port': {
      // Node's MessagePort has the DOM's methods and Electron's `on`, but its `on` passes the message itself. The main
      // end is therefore adapted to pass an event object, as Electron does.
      const open: { close(): void }[] = [];
      return {
        connect: async () => {
          const { port1, port2 } = new MessageChannel();
          open.push(port1, port2);
          const main: MainMessagePort = {
            postMessage: (message) => port2.postMessage(message),
            start: () => port2.start(),
            close: () => port2.close(),
            on: (event: 'message' | 'close', listener: (event: { readonly data: unknown }) => void) =>
              port2.on(event, (data: unknown) => listener({ data })),
          };
          accept(mainPort(main));
          return pagePort(port1 as unknown as DomMessagePort);
        },
        close: async () => {
          for (const port of open) port.close();
        },
      };
    }
    case 'WebSocket': {
      const server = new WebSocketServer({ host: '127.0.0.1', port: 0, maxPayload: MAX_FRAME_BYTES });
      await once(server, 'listening');
      server.on('connection', (socket) => accept(acceptedSocketPort(socket)));
      const { port } = server.address() as AddressInfo;
      return {
        connect: () => openSocketPort(`ws://127.0.0.1:${port}`),
        close: async () => {
          for (const socket of server.clients) socket.terminate();
          server.close();
          await once(server, 'close');
        },
      };
    }
  }
}

export const carrierNames: readonly CarrierName[] = ['in-process', 'WebSocket', 'message port'];
