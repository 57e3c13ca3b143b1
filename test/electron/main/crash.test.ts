/** Stories of a page that crashes, with the main process over a stand-in of Electron. */
import { vi } from 'vitest';
import { crashStories } from '../../desktop/stories/windows.ts';
import { standIn } from './stand-in/driver.ts';

vi.mock('electron', async () => (await import('./stand-in/electron.ts')).electron);

crashStories(standIn);
