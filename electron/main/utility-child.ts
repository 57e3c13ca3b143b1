/** Child processes under Electron, whose program cannot be started as Node once it is packaged. */
import { utilityProcess } from 'electron';
import { onPrinted } from '../host/io/printed-text.ts';
import { newMark } from '../host/io/processes/descendants.ts';
import { childFile, type StartChild } from '../host/io/processes/link.ts';

export const startUtility: StartChild = (program) => {
  const mark = newMark();
  const child = utilityProcess.fork(childFile(program), [], {
    env: mark.env,
    serviceName: `Braggbench ${program}`,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Libraries that users compile are not signed.
    allowLoadingUnsignedLibraries: program === 'user-kernel-child',
  });
  child.on('exit', () => mark.end());
  return {
    send: (message) => child.postMessage(message),
    onMessage: (listener) => child.on('message', listener),
    onOutput: (listener) => onPrinted(child, listener),
    onEnded: (listener) => child.on('exit', (code) => listener({ code, signal: null })),
    kill: () => {
      // The method `kill` of a utility process sends SIGTERM, which a process in native code never handles.
      if (child.pid === undefined) return;
      mark.end();
      try {
        process.kill(child.pid, 'SIGKILL');
      } catch {
        // It has just ended.
      }
    },
  };
};
