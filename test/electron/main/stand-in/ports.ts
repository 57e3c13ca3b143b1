/**
 * Runs the preload script in a page and carries its messages to the main process. Replaces the MessagePorts that
 * Electron would move between the two.
 */
import { EventEmitter } from 'node:events';
import type { Page } from 'playwright-core';

/** Electron's MessagePortMain: the part that the transport uses. */
class StandInPort extends EventEmitter {
  readonly #send: (data: string | null) => void;
  #started = false;
  #early: unknown[] = [];

  constructor(send: (data: string | null) => void) {
    super();
    this.#send = send;
  }
  postMessage(message: unknown): void {
    this.#send(message instanceof Uint8Array ? Buffer.from(message).toString('base64') : null);
  }
  start(): void {
    this.#started = true;
    for (const data of this.#early) this.emit('message', { data });
    this.#early = [];
  }
  receive(data: unknown): void {
    if (this.#started) this.emit('message', { data });
    else this.#early.push(data);
  }
  close(): void {
    this.#started = false;
  }
}

export interface PagePorts {
  close(): void;
}

/** Runs in the page: an `electron` module with only ipcRenderer, and the page's ends of its ports. */
const PAGE_SIDE = `
  const ports = [];
  const toBase64 = (bytes) => {
    let text = '';
    for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
    return btoa(text);
  };
  const ipcRenderer = {
    send: (channel) => standInIpc(channel, -1),
    postMessage: (channel, _message, [port]) => {
      const id = ports.push(port) - 1;
      port.onmessage = ({ data }) => standInFromPage(id, data === null ? null : toBase64(data));
      standInIpc(channel, id);
    },
  };
  Object.defineProperty(globalThis, Symbol.for('stand-in'), {
    value: (id, text) => ports[id].postMessage(text === null ? null : Uint8Array.from(atob(text), (c) => c.charCodeAt(0))),
  });
  const require = (name) => {
    if (name !== 'electron') throw new Error('a sandboxed preload has no ' + name);
    return { ipcRenderer };
  };
`;

export async function pagePorts(
  page: Page,
  preloadCode: string,
  ipc: (channel: string, ports: readonly StandInPort[]) => void,
): Promise<PagePorts> {
  const ports = new Map<number, StandInPort>();
  await page.exposeFunction('standInIpc', (channel: string, id: number) => {
    if (id < 0) {
      ipc(channel, []);
      return;
    }
    const port = new StandInPort((text) => {
      page
        .evaluate(([portId, data]) => Reflect.get(globalThis, Symbol.for('stand-in'))(portId, data), [
          id,
          text,
        ] as const)
        .catch(() => port.emit('close'));
    });
    ports.set(id, port);
    ipc(channel, [port]);
  });
  await page.exposeFunction('standInFromPage', (id: number, text: string | null) => {
    ports.get(id)?.receive(text === null ? null : new Uint8Array(Buffer.from(text, 'base64')));
  });
  await page.addInitScript(
    `(() => { ${PAGE_SIDE} const exports = {}; const module = { exports };\n${preloadCode}\n})();`,
  );
  return {
    close: () => {
      for (const port of ports.values()) port.emit('close');
      ports.clear();
    },
  };
}
