/** Stories of a work session, in Electron itself. */
import { inElectron } from './electron.ts';
import { workStories } from './stories/work.ts';

workStories(inElectron());
