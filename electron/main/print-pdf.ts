/** A document as PDF, printed by a window that nobody sees. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BrowserWindow } from 'electron';
import { withDocumentPolicy } from '../contract/wire/page-policy.ts';

/** `html` needs nothing besides itself: its scripts are off, and it has no preload. */
export async function printPdf(html: string): Promise<Uint8Array> {
  const folder = await mkdtemp(path.join(tmpdir(), 'braggbench-print-'));
  const window = new BrowserWindow({ show: false, webPreferences: { sandbox: true, javascript: false } });
  try {
    // A file, because a URL of the document itself has no room for its figures.
    const file = path.join(folder, 'report.html');
    await writeFile(file, withDocumentPolicy(html));
    await window.loadFile(file);
    return await window.webContents.printToPDF({ pageSize: 'A4', printBackground: true, preferCSSPageSize: true });
  } finally {
    window.destroy();
    await rm(folder, { recursive: true, force: true });
  }
}
