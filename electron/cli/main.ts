/** Entry point of the command `braggbench`: handles signals and closed output pipes, and runs the program. */
import { enableCompileCache } from 'node:module';
import path from 'node:path';
import { markLoaded } from './start/loaded.ts';
import { exitCodes } from './verb.ts';

/** Handles signals and closed pipes. Must be called first. The returned signal is aborted by the first Ctrl+C. */
function watchProcess(): AbortSignal {
  const interrupt = new AbortController();
  const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  /**
   * The first signal cancels the work and saves partial results. The second one ends the process by its default action,
   * because `exit` would wait for threads.
   */
  const onSignal = (signal: NodeJS.Signals): void => {
    if (interrupt.signal.aborted) {
      for (const each of signals) process.removeListener(each, onSignal);
      process.kill(process.pid, signal);
    }
    interrupt.abort();
  };
  for (const each of signals) process.on(each, onSignal);

  // If the reader of a pipe has closed it, as in `braggbench variants | head -1`, exit without a message.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // After a cancellation, continue, because the results must still be saved.
      if (interrupt.signal.aborted) return;
      process.exit(error.code === 'EPIPE' ? exitCodes.done : exitCodes.failed);
    });
  }
  return interrupt.signal;
}

const interrupted = watchProcess();

async function loadModules(): Promise<NonNullable<ReturnType<typeof markLoaded>>> {
  // Compiling modules is a third of the start-up time, so cache the result next to the bundle if that folder is
  // writable.
  enableCompileCache(path.join(import.meta.dirname, 'compiled'));
  const [{ Terminal }, { runProgram }] = await Promise.all([import('./terminal.ts'), import('./program.ts')]);
  return { Terminal, runProgram };
}

const image = markLoaded();
// Child processes must start without the image, so remove its flag.
if (image !== null) process.execArgv = [];
const { runProgram, Terminal } = image ?? (await loadModules());
const terminal = new Terminal(process.stdout, process.stderr, process.env);
process.exitCode = await runProgram(process.argv.slice(2), terminal, interrupted);
