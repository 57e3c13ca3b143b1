/** The stories of a session of work, in Electron itself. */
import { inElectron } from './electron.ts';
import { foundDesktop } from './found.ts';
import { tellWork } from './stories/work.ts';

tellWork(inElectron(foundDesktop()));
