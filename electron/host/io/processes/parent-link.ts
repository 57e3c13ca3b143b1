/** The child's end of the channel to the host, under Node and under Electron. */
interface ParentLink<From, To> {
  send(message: From): void;
  onMessage(listener: (message: To) => void): void;
}

/** `process.parentPort` of Electron's utility processes. */
interface ElectronParent {
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): void;
  postMessage(message: unknown): void;
}

/** Kills the process, because `process.exit` would wait for threads, and one of them may never end. */
function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** The process exits when its host does. */
export function parentLink<From extends object, To>(): ParentLink<From, To> {
  const electron = (process as { readonly parentPort?: ElectronParent | null }).parentPort;
  if (electron != null) {
    return {
      send: (message) => electron.postMessage(message),
      onMessage: (listener) => electron.on('message', ({ data }) => listener(data as To)),
    };
  }
  process.on('disconnect', die);
  return {
    send: (message) => {
      if (process.connected) process.send?.(message);
    },
    onMessage: (listener) => {
      process.on('message', (message) => listener(message as To));
    },
  };
}
