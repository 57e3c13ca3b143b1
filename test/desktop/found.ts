/** The program that `npm run test:all -- desktop` has found. */
import { type DesktopProgram, findDesktop } from '../../electron/build/setup/desktop-program.mjs';

/** If none is found, the command has already reported it and runs no story. */
export function findDesktopProgram(): DesktopProgram {
  const found = findDesktop(process.env['BRAGGBENCH_PACKAGE'] ?? null);
  if ('missing' in found) throw new Error(found.missing);
  return found;
}
