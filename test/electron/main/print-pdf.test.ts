/** The hidden window that prints reports, when printing fails; the desktop stories print one. */
import { existsSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { printPdf } from '../../../electron/main/shell.ts';

const stage = vi.hoisted(() => ({ file: '', wasThere: false, destroyed: false }));

vi.mock('electron', () => ({
  BrowserWindow: class {
    readonly webContents = { printToPDF: () => Promise.reject(new Error('no printer')) };
    async loadFile(file: string): Promise<void> {
      stage.file = file;
      stage.wasThere = existsSync(file);
    }
    destroy(): void {
      stage.destroyed = true;
    }
  },
}));

it('a failed print leaves no files behind', async () => {
  await expect(printPdf('<p>')).rejects.toThrow('no printer');
  expect(stage).toMatchObject({ wasThere: true, destroyed: true });
  expect(existsSync(stage.file)).toBe(false);
});
