/** What the command line does about its own process: signals, and an output that nobody reads any more. */
import { exitCodes } from '../exit-codes.ts';

/** Call once, first. The signal is aborted by the first Ctrl+C. */
export function watchProcess(): AbortSignal {
  const interrupt = new AbortController();
  /** The first Ctrl+C asks, and keeps what was computed; the second one does not wait. */
  const onSignal = (): void => {
    if (interrupt.signal.aborted) process.exit(exitCodes.interrupted);
    interrupt.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  // The terminal was closed: what was computed is still worth keeping.
  process.on('SIGHUP', onSignal);

  // Whoever reads our output has gone, as in `braggbench variants | head -1`: there is nobody left to tell.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // A run that is being ended has yet to save itself; that nobody hears of it any more is no reason not to.
      if (interrupt.signal.aborted) return;
      process.exit(error.code === 'EPIPE' ? exitCodes.done : exitCodes.failed);
    });
  }
  return interrupt.signal;
}
