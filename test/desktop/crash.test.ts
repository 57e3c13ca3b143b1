/** Stories of a page that crashes, in Electron itself. */
import { inElectron } from './electron.ts';
import { foundDesktop } from './found.ts';
import { tellCrash } from './stories/windows.ts';

tellCrash(inElectron(foundDesktop()));
