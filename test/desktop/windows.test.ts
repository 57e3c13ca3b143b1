/** Stories about two windows, in Electron itself. */
import { inElectron } from './electron.ts';
import { foundDesktop } from './found.ts';
import { tellWindows } from './stories/windows.ts';

tellWindows(inElectron(foundDesktop()));
