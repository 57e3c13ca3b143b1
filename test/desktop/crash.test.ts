/** Stories of a page that crashes, in Electron itself. */
import { inElectron } from './electron.ts';
import { findDesktopProgram } from './found.ts';
import { crashStories } from './stories/windows.ts';

crashStories(inElectron(findDesktopProgram()));
