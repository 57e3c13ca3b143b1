/** Files dropped on the page: scenarios by their text, runs by their bytes. */
import type { DocumentActions } from './document.ts';
import type { RunActions } from './runs.ts';

/** Above this a file is no scenario, and reading it as text would only stall the page. */
const LARGEST_SCENARIO_BYTES = 8 * 2 ** 20;

export async function openDropped(
  files: readonly File[],
  documents: DocumentActions,
  runs: RunActions,
  refuse: (name: string, reason: string) => void,
): Promise<void> {
  for (const file of files) {
    if (/\.(h5|hdf5)$/i.test(file.name)) {
      await runs.openBytes(file.name, new Uint8Array(await file.arrayBuffer()));
    } else if (/\.(json|ya?ml)$/i.test(file.name)) {
      if (file.size > LARGEST_SCENARIO_BYTES) refuse(file.name, 'A scenario has at most 8 MiB.');
      else await documents.openText(file.name, await file.text());
    } else {
      refuse(file.name, 'Drop a scenario (.json, .yaml) or a run (.h5).');
    }
  }
}
