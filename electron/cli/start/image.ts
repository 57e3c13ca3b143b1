/**
 * Start-up image of the command line: the program with all modules loaded, which saves half of the time of a short
 * command. Process state is read only after a start from the image; the build rejects modules that read it earlier.
 */

import { runProgram } from '../program.ts';
import { Terminal } from '../terminal.ts';
import { saveLoaded } from './loaded.ts';

saveLoaded({ runProgram, Terminal });
