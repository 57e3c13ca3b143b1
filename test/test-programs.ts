/** Programs that tests start and kill: hosts in separate processes, which are bundled before the tests. */
import path from 'node:path';

export const testProgramsFolder = 'dist/tests';

export const testPrograms = {
  'killed-host': 'test/electron/host/app/recovery/killed.ts',
  'served-run': 'test/electron/host/app/recovery/served.ts',
  'second-server': 'test/electron/host/io/files/server.ts',
  'full-disk': 'test/electron/host/io/files/full-disk-child.ts',
} as const;

/** Path of the bundle to start. */
export const testProgram = (name: keyof typeof testPrograms): string =>
  path.join(import.meta.dirname, '..', testProgramsFolder, `${name}.js`);
