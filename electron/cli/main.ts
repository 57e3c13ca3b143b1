/** The `braggbench` command: wires the process to the program. */
import { enableCompileCache } from 'node:module';
import path from 'node:path';
import { keptLoaded } from './start/loaded.ts';
import { watchProcess } from './start/this-process.ts';

const interrupted = watchProcess();

async function load(): Promise<NonNullable<ReturnType<typeof keptLoaded>>> {
  // A third of what starting takes is compiling. The cache goes with the bundle; where it cannot be written, there is none.
  enableCompileCache(path.join(import.meta.dirname, 'compiled'));
  const [{ Terminal }, { runProgram }] = await Promise.all([import('./terminal.ts'), import('./program.ts')]);
  return { Terminal, runProgram };
}

const image = keptLoaded();
// From where this process started is nothing to its children.
if (image !== null) process.execArgv = [];
const { runProgram, Terminal } = image ?? (await load());
const terminal = new Terminal(process.stdout, process.stderr, process.env);
process.exitCode = await runProgram(process.argv.slice(2), terminal, interrupted);
