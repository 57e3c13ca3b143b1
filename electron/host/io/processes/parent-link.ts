/** A child process's end of the channel to the host, for children started by Node.js and by Electron. */
interface ParentLink<From, To> {
  send(message: From): void;
  onMessage(listener: (message: To) => void): void;
}

/** `process.parentPort` of Electron's utility processes. */
interface ElectronParent {
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): void;
  postMessage(message: unknown): void;
}

/** Kills this process. `process.exit` would wait for its threads, of which one may never end. */
function killThisProcess(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** Opens the channel to the host. The process is killed when its host exits. */
export function connectToParent<From extends object, To>(): ParentLink<From, To> {
  const electron = (process as { readonly parentPort?: ElectronParent | null }).parentPort;
  if (electron != null) {
    return {
      send: (message) => electron.postMessage(message),
      onMessage: (listener) => electron.on('message', ({ data }) => listener(data as To)),
    };
  }
  process.on('disconnect', killThisProcess);
  return {
    send: (message) => {
      if (process.connected) process.send?.(message);
    },
    onMessage: (listener) => {
      process.on('message', (message) => listener(message as To));
    },
  };
}
