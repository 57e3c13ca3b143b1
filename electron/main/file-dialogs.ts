/** Native file dialogs, by what the file is for. */
import { app, type BrowserWindow, dialog, type FileFilter } from 'electron';
import type { FilePurpose } from '../contract/files.ts';

const scenario: FileFilter = { name: 'Scenario', extensions: ['json', 'yaml', 'yml'] };
const run: FileFilter = { name: 'Run', extensions: ['h5', 'hdf5'] };
const trace: FileFilter = { name: 'Timeline', extensions: ['json', 'gz', 'sqlite', 'nsys-rep', 'h5'] };
const session: FileFilter = { name: 'Benchmark', extensions: ['json'] };
const anything: FileFilter = { name: 'All files', extensions: ['*'] };

const opening: Partial<Record<FilePurpose, { readonly title: string; readonly filters: FileFilter[] }>> = {
  'open-scenario': { title: 'Open scenario', filters: [scenario, anything] },
  'open-run': { title: 'Open run', filters: [run, anything] },
  'open-session': { title: 'Open benchmark', filters: [session, anything] },
  'open-trace': { title: 'Open timeline', filters: [trace, anything] },
};

const saving: Partial<Record<FilePurpose, { readonly title: string; readonly filters: FileFilter[] }>> = {
  'save-scenario': { title: 'Save scenario as', filters: [{ name: 'Scenario', extensions: ['json'] }] },
  'save-run': { title: 'Save run as', filters: [{ name: 'Run', extensions: ['h5'] }] },
  export: { title: 'Export', filters: [anything] },
};

/** The chosen path, or null when the dialog was dismissed. */
export async function chooseFile(
  window: BrowserWindow,
  purpose: FilePurpose,
  suggestedName: string,
): Promise<string | null> {
  const open = opening[purpose];
  if (open !== undefined) {
    const { canceled, filePaths } = await dialog.showOpenDialog(window, { ...open, properties: ['openFile'] });
    const chosen = canceled ? null : (filePaths[0] ?? null);
    // The system would open a trace from its list as if it were a document.
    return purpose === 'open-trace' ? chosen : noted(chosen);
  }
  const save = saving[purpose];
  const { canceled, filePath } = await dialog.showSaveDialog(window, {
    ...save,
    defaultPath: suggestedName,
    properties: ['createDirectory', 'showOverwriteConfirmation'],
  });
  const chosen = canceled || filePath === '' ? null : filePath;
  return purpose === 'export' ? chosen : noted(chosen);
}

/** The system lists it among the recent documents. */
function noted(file: string | null): string | null {
  if (file !== null) app.addRecentDocument(file);
  return file;
}

/** The chosen folder, which may be new, or null when the dialog was dismissed. */
export async function chooseFolder(window: BrowserWindow, title: string, folder: string): Promise<string | null> {
  const { canceled, filePaths } = await dialog.showOpenDialog(window, {
    title,
    defaultPath: folder,
    properties: ['openDirectory', 'createDirectory', 'promptToCreate'],
  });
  return canceled ? null : (filePaths[0] ?? null);
}
