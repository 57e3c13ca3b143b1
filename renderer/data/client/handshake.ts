/** Opens a transport and greets the host on it. */
import { BraggError } from '../../../electron/contract/errors.ts';
import { decodeFrame, encodeFrame } from '../../../electron/contract/wire/frame.ts';
import {
  type ClientMessage,
  type HostMessage,
  hostMessageSchema,
  type Port,
  type PortClosed,
  type PortHandler,
  PROTOCOL_VERSION,
} from '../../../electron/contract/wire/protocol.ts';

export type Hello = Extract<HostMessage, { type: 'hello' }>;
type ResumeRequest = Extract<ClientMessage, { type: 'greet' }>['resume'];

export interface GreetedPort {
  readonly port: Port;
  readonly hello: Hello;
  /** Takes over the port; messages that arrived since the hello are delivered at once. */
  listen(handler: PortHandler): void;
}

/** Timeout of the greeting in ms: a host that accepts the transport but never answers counts as unreachable. */
const GREETING_TIMEOUT_MS = 15_000;

/**
 * Rejects with a BraggError if the host refuses this page permanently, and with another error if a retry may succeed.
 */
export async function greet(openPort: () => Promise<Port>, resume: ResumeRequest): Promise<GreetedPort> {
  const port = await openPort();
  return new Promise((resolve, reject) => {
    let handler: PortHandler | null = null;
    let early: Uint8Array[] = [];
    let closed: PortClosed | null = null;
    let greeted = false;

    const impatient = setTimeout(() => fail(new Error('the host does not respond')), GREETING_TIMEOUT_MS);
    const fail = (error: Error): void => {
      clearTimeout(impatient);
      port.close('no greeting');
      reject(error);
    };
    const listen = (next: PortHandler): void => {
      handler = next;
      for (const bytes of early) next.frame(bytes);
      early = [];
      if (closed !== null) next.closed(closed);
    };
    const first = (bytes: Uint8Array): void => {
      const message = hostMessageSchema.parse(decodeFrame(bytes));
      if (message.type === 'refused') {
        fail(BraggError.fromWire(message.error));
        return;
      }
      if (message.type !== 'hello') throw new Error('the host sent no greeting');
      clearTimeout(impatient);
      greeted = true;
      resolve({ port, hello: message, listen });
    };

    port.listen({
      frame: (bytes) => {
        if (handler !== null) handler.frame(bytes);
        else if (greeted) early.push(bytes);
        else {
          try {
            first(bytes);
          } catch (error) {
            fail(new Error('the server is not a Braggbench host', { cause: error }));
          }
        }
      },
      closed: (event) => {
        closed = event;
        handler?.closed(event);
        if (!greeted) fail(new Error(event.reason));
      },
    });
    port.send(encodeFrame({ type: 'greet', protocol: PROTOCOL_VERSION, resume } satisfies ClientMessage));
  });
}
