/** The child's end of the line to the host, under Node and under Electron. */
import type { FromChild, ToChild } from './messages.ts';

interface ParentLink {
  send(message: FromChild): void;
  onMessage(listener: (message: ToChild) => void): void;
}

/** Electron's utility processes have it. */
interface ElectronParent {
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): void;
  postMessage(message: unknown): void;
}

/** Not `exit`: that waits for threads, and one of them may never end. */
function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** Ends the process when the host is gone. */
export function parentLink(): ParentLink {
  const electron = (process as { readonly parentPort?: ElectronParent | null }).parentPort;
  if (electron != null) {
    return {
      send: (message) => electron.postMessage(message),
      onMessage: (listener) => electron.on('message', ({ data }) => listener(data as ToChild)),
    };
  }
  process.on('disconnect', die);
  return {
    send: (message) => {
      if (process.connected) process.send?.(message);
    },
    onMessage: (listener) => {
      process.on('message', (message) => listener(message as ToChild));
    },
  };
}
