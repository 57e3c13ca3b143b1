/** Stories about two windows, in Electron itself. */
import { inElectron } from './electron.ts';
import { findDesktopProgram } from './found.ts';
import { windowStories } from './stories/windows.ts';

windowStories(inElectron(findDesktopProgram()));
