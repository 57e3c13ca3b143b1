/**
 * The `braggbench` command: connects the process to the program.
 *
 * Process handling of the command line: signals, and closed output pipes.
 */
import { enableCompileCache } from 'node:module';
import path from 'node:path';
import { markLoaded } from './start/loaded.ts';
import { exitCodes } from './verb.ts';

/** Call once, before anything else. The signal is aborted by the first Ctrl+C. */
function watchProcess(): AbortSignal {
  const interrupt = new AbortController();
  const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  /**
   * The first signal cancels and saves partial results. The second has its default action, because exiting would wait
   * for threads.
   */
  const onSignal = (signal: NodeJS.Signals): void => {
    if (interrupt.signal.aborted) {
      for (const each of signals) process.removeListener(each, onSignal);
      process.kill(process.pid, signal);
    }
    interrupt.abort();
  };
  for (const each of signals) process.on(each, onSignal);

  // The reader has closed the pipe, as in `braggbench variants | head -1`: exit without a message.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // A cancelled run must still save its result, even if nobody reads the output any more.
      if (interrupt.signal.aborted) return;
      process.exit(error.code === 'EPIPE' ? exitCodes.done : exitCodes.failed);
    });
  }
  return interrupt.signal;
}

const interrupted = watchProcess();

async function load(): Promise<NonNullable<ReturnType<typeof markLoaded>>> {
  // Compiling the modules is a third of the start-up time. The cache is stored next to the bundle, if that folder is
  // writable.
  enableCompileCache(path.join(import.meta.dirname, 'compiled'));
  const [{ Terminal }, { runProgram }] = await Promise.all([import('./terminal.ts'), import('./program.ts')]);
  return { Terminal, runProgram };
}

const image = markLoaded();
// Child processes must not start from the image.
if (image !== null) process.execArgv = [];
const { runProgram, Terminal } = image ?? (await load());
const terminal = new Terminal(process.stdout, process.stderr, process.env);
process.exitCode = await runProgram(process.argv.slice(2), terminal, interrupted);
