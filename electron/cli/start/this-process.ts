/** Process handling of the command line: signals, and an output that nobody reads any more. */
import { exitCodes } from '../exit-codes.ts';

/** Call once, first. The signal is aborted by the first Ctrl+C. */
export function watchProcess(): AbortSignal {
  const interrupt = new AbortController();
  const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  /** The first signal cancels and saves what was computed. The second has its default action: exiting would wait for threads. */
  const onSignal = (signal: NodeJS.Signals): void => {
    if (interrupt.signal.aborted) {
      for (const each of signals) process.removeListener(each, onSignal);
      process.kill(process.pid, signal);
    }
    interrupt.abort();
  };
  for (const each of signals) process.on(each, onSignal);

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
