import path from 'node:path';

/** Root of the checkout, which contains package.json. */
export const root = path.resolve(import.meta.dirname, '../../..');

/** @param {...string} parts */
export const inRoot = (...parts) => path.join(root, ...parts);

/**
 * Working directory of the user, to which file arguments are relative. `npm run` changes to the checkout and stores the
 * original directory in INIT_CWD.
 */
export const callerFolder = process.env['npm_lifecycle_event'] ? (process.env['INIT_CWD'] ?? root) : process.cwd();
