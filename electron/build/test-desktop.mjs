/** `npm run test:all -- desktop [FOLDER]`: the desktop stories in Electron itself, or in the package of a folder. */
import { testing } from './suites/entry.mjs';

await testing('npm run test:all -- desktop', ({ desktop }, folder) => desktop(folder), {
  name: 'the FOLDER of a package',
});
