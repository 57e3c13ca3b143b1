/** Stories about two windows, with the main process over a stand-in of Electron. */
import { vi } from 'vitest';
import { windowStories } from '../../desktop/stories/windows.ts';
import { standIn } from './stand-in/driver.ts';

vi.mock('electron', async () => (await import('./stand-in/electron.ts')).electron);

windowStories(standIn);
