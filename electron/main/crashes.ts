/** Reports of crashes stay on this computer: files in the data folder, which the user may send to whom they like. */
import path from 'node:path';
import { crashReporter } from 'electron';
import { setFolder } from './own-data.ts';

/** Before the first window, so that its process is watched too. */
export function keepCrashReports(dataFolder: string): void {
  setFolder('crashDumps', path.join(dataFolder, 'crashes'));
  crashReporter.start({ uploadToServer: false, compress: true });
}
