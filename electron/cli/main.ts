/** The `braggbench` command: wires the process to the program. */
import { enableCompileCache } from 'node:module';
import path from 'node:path';
import { exitCodes } from './exit-codes.ts';

// A third of what starting takes is compiling. The cache goes with the bundle; where it cannot be written, there is none.
enableCompileCache(path.join(import.meta.dirname, 'compiled'));

const interrupt = new AbortController();

/** The first Ctrl+C asks, and keeps what was computed; the second one does not wait. */
function onSignal(): void {
  if (interrupt.signal.aborted) process.exit(exitCodes.interrupted);
  interrupt.abort();
}
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);
// The terminal was closed: what was computed is still worth keeping.
process.on('SIGHUP', onSignal);

/** Whoever reads our output has gone, as in `braggbench variants | head -1`: there is nobody left to tell. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // A run that is being ended has yet to save itself; that nobody hears of it any more is no reason not to.
    if (interrupt.signal.aborted) return;
    process.exit(error.code === 'EPIPE' ? exitCodes.done : exitCodes.failed);
  });
}

const [{ Terminal }, { runProgram }] = await Promise.all([import('./terminal.ts'), import('./program.ts')]);
const terminal = new Terminal(process.stdout, process.stderr, process.env);
process.exitCode = await runProgram(process.argv.slice(2), terminal, interrupt.signal);
