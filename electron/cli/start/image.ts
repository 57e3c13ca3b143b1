/**
 * Contents of the command line's start-up image: the program with all modules loaded, which otherwise needs half of the
 * time of a short command. Process state is read only after a start from the image; its build rejects modules that read
 * it earlier.
 */

import { runProgram } from '../program.ts';
import { Terminal } from '../terminal.ts';
import { keepLoaded } from './loaded.ts';

keepLoaded({ runProgram, Terminal });
