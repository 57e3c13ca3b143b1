import { capture, tail } from '../setup/command.mjs';
import { inRoot } from '../setup/root.mjs';
import { Failure } from '../setup/say.mjs';

/** The page for both shells, by vite.config.ts. */
export function pageStep() {
  return {
    name: 'page',
    short: true,
    title: 'Building the page',
    inputs: [
      'renderer/**/*',
      'electron/contract/**/*.ts',
      'electron/transports/**/*.ts',
      'assets/{colormaps,examples,handbook,icons,materials,questions,reference,schemas}/**/*',
      'vite.config.ts',
      'tsconfig.json',
      'package-lock.json',
    ],
    outputs: ['dist/renderer/browser.html', 'dist/renderer/desktop.html'],
    run: async () => {
      const vite = inRoot('node_modules/vite/bin/vite.js');
      const { code, output } = await capture(process.execPath, [vite, 'build', '--logLevel', 'warn']);
      if (code !== 0) throw new Failure(`${tail(output, 40)}\nThe page could not be built (above).`);
    },
  };
}
