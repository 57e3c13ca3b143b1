/** Stories of a work session, in Electron itself. */
import { inElectron } from './electron.ts';
import { foundDesktop } from './found.ts';
import { tellWork } from './stories/work.ts';

tellWork(inElectron(foundDesktop()));
