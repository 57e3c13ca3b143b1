/**
 * Loaded before the program of a utility process: a port to the parent process over Node's IPC channel, which is hidden
 * from the program.
 */
import { EventEmitter } from 'node:events';

const send = process.send?.bind(process);
const port = new EventEmitter();
process.on('message', (data) => port.emit('message', { data }));
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
Object.defineProperty(process, 'parentPort', {
  value: { on: port.on.bind(port), postMessage: (/** @type {unknown} */ message) => send?.(message) },
});
Object.defineProperty(process, 'send', { value: undefined });
