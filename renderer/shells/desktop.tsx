/** Entry point in an Electron window. The port comes from the preload script. */
import { PAGE_READY, PORT_DELIVERY, PORT_REQUEST } from '../../electron/contract/wire/page.ts';
import type { Port } from '../../electron/contract/wire/protocol.ts';
import { pagePort } from '../../electron/transports/message-port.ts';
import { start } from './start.tsx';

/** Timeout in ms. A preload script that does not answer is an installation error, so longer waiting would not help. */
const PRELOAD_TIMEOUT_MS = 10_000;

function openPort(): Promise<Port> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The window has no connection to its host.')), PRELOAD_TIMEOUT_MS);
    const received = (event: MessageEvent<unknown>): void => {
      const port = event.ports[0];
      if (event.source !== window || event.data !== PORT_DELIVERY || port === undefined) return;
      clearTimeout(timer);
      window.removeEventListener('message', received);
      resolve(pagePort(port));
    };
    window.addEventListener('message', received);
    window.postMessage(PORT_REQUEST, location.origin);
  });
}

void start({ openPort, reconnect: false, drawn: () => window.postMessage(PAGE_READY, location.origin) });
