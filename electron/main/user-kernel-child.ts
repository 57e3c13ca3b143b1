/** Processes for user kernels under Electron, whose program cannot be started as Node once it is packaged. */
import { utilityProcess } from 'electron';
import { onPrinted } from '../host/io/printed-text.ts';
import { childFile, type StartChild } from '../host/model/user-kernels/process/link.ts';

export const startUtility: StartChild = () => {
  const child = utilityProcess.fork(childFile(), [], {
    serviceName: 'Braggbench user kernel',
    stdio: ['ignore', 'pipe', 'pipe'],
    // The user's library is signed by nobody.
    allowLoadingUnsignedLibraries: true,
  });
  return {
    send: (message) => child.postMessage(message),
    onMessage: (listener) => child.on('message', listener),
    onOutput: (listener) => onPrinted(child, listener),
    onEnded: (listener) => child.on('exit', (code) => listener({ code, signal: null })),
    kill: () => {
      // Its own kill asks; a process that hangs does not answer.
      if (child.pid !== undefined) process.kill(child.pid, 'SIGKILL');
    },
  };
};
