/** What `npm run test:all -- desktop` has found to start. */
import { type DesktopProgram, findDesktop } from '../../electron/build/setup/desktop-program.mjs';

/** Where nothing is, the command has said so and runs no story. */
export function foundDesktop(): DesktopProgram {
  const found = findDesktop(process.env['BRAGGBENCH_PACKAGE'] ?? null);
  if ('missing' in found) throw new Error(found.missing);
  return found;
}
