/** Stories about two windows, and of a page that crashes, in Electron itself. */
import { describe } from 'vitest';
import { inElectron } from './electron.ts';
import { crashStories, windowStories } from './stories/windows.ts';

const driver = inElectron();

// Each group of stories starts and stops its own program.
describe('windows', () => windowStories(driver));
describe('crash', () => crashStories(driver));
