/**
 * Start-up snapshot of the command line: the program with all modules loaded, which halves the time of a short command.
 * Modules must not read process state before the start. The build rejects those that do.
 */

import { runProgram } from '../program.ts';
import { Terminal } from '../terminal.ts';
import { saveLoaded } from './loaded.ts';

saveLoaded({ runProgram, Terminal });
