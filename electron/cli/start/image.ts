/**
 * What the command line's start-up image holds: the program with all of its modules loaded, which otherwise takes half
 * of what a short command takes. Nothing of a process is read until one starts from it; its build refuses modules that do.
 */

import { runProgram } from '../program.ts';
import { Terminal } from '../terminal.ts';
import { keepLoaded } from './loaded.ts';

keepLoaded({ runProgram, Terminal });
