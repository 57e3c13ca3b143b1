/** Reports of crashes stay on this computer: files in the data folder, which the user may send to whom they like. */
import path from 'node:path';
import { app, crashReporter } from 'electron';

/** Before the first window, so that its process is watched too. */
export function keepCrashReports(dataFolder: string): void {
  app.setPath('crashDumps', path.join(dataFolder, 'crashes'));
  crashReporter.start({ uploadToServer: false, compress: true });
}
