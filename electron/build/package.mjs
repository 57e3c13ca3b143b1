/**
 * `npm run package`: builds the program, and installable packages for this platform in dist/packages. Arguments are
 * passed to electron-builder: `npm run package -- --dir` creates only the unpacked program.
 */
import { runInTerminal } from './setup/command.mjs';
import { inRoot, root } from './setup/root.mjs';
import { allSteps, runEntryScript } from './steps/all.mjs';
import { EVERY_MACHINE } from './steps/native.mjs';

process.env[EVERY_MACHINE] = '1';
await runEntryScript(
  async (args) => {
    // Remote machines run Linux. Packages for other systems include the archive that an earlier build on Linux created.
    if (process.platform === 'linux') {
      const packed = await runInTerminal(process.execPath, [
        inRoot('dist/host/cli.js'),
        'connect',
        '--pack',
        inRoot('dist/remote'),
      ]);
      if (packed !== 0) return packed;
    }
    const builder = inRoot('node_modules/electron-builder/cli.js');
    return runInTerminal(
      process.execPath,
      [builder, '--config', 'electron-builder.yml', '--publish', 'never', ...args],
      {
        cwd: root,
      },
    );
  },
  { steps: () => allSteps({ withoutGpu: true, userKernels: true }) },
);
