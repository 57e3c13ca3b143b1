import { capture, lastLines } from '../setup/command.mjs';
import { inRoot } from '../setup/root.mjs';
import { Failure } from '../setup/say.mjs';
import { NOTICES } from './notices.mjs';

/** Build step of the page, which vite.config.ts configures. The desktop program and the server use the same page. */
export function pageStep() {
  return {
    name: 'page',
    short: true,
    title: 'Building the page',
    inputs: [
      'renderer/**/*',
      'electron/{contract,domain}/**/*.ts',
      'electron/transports/**/*.ts',
      'assets/{colormaps,examples,handbook,icons,materials,questions,reference,schemas}/**/*',
      'vite.config.ts',
      'electron/build/steps/notices.mjs',
      'tsconfig.json',
      'package-lock.json',
    ],
    outputs: ['browser.html', 'desktop.html', NOTICES].map((name) => `dist/renderer/${name}`),
    run: async () => {
      const vite = inRoot('node_modules/vite/bin/vite.js');
      const { code, output } = await capture(process.execPath, [vite, 'build', '--logLevel', 'warn']);
      if (code !== 0) throw new Failure(`${lastLines(output, 40)}\nThe page could not be built (above).`);
    },
  };
}
