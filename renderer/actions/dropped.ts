/** Files dropped on the page: scenarios and curves by their text, runs by their bytes. */
import type { DocumentActions } from './document.ts';
import type { RunActions } from './runs.ts';

/** Above this a file is no scenario, and reading it as text would only stall the page. */
const LARGEST_SCENARIO_BYTES = 8 * 2 ** 20;

export async function openDropped(
  files: readonly File[],
  documents: DocumentActions,
  runs: RunActions,
  others: {
    /** A depth dose to lay over. */
    readonly curve: (file: File) => Promise<void>;
    readonly refuse: (name: string, reason: string) => void;
  },
): Promise<void> {
  const { curve, refuse } = others;
  for (const file of files) {
    if (/\.(h5|hdf5)$/i.test(file.name)) {
      await runs.openBytes(file.name, new Uint8Array(await file.arrayBuffer()));
    } else if (/\.(json|ya?ml)$/i.test(file.name)) {
      if (file.size > LARGEST_SCENARIO_BYTES) refuse(file.name, 'A scenario has at most 8 MiB.');
      else await documents.openText(file.name, await file.text());
    } else if (/\.csv$/i.test(file.name)) {
      await curve(file);
    } else {
      refuse(file.name, 'Drop a scenario (.json, .yaml), a run (.h5) or a depth dose (.csv).');
    }
  }
}
