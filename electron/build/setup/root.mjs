import path from 'node:path';

/** Root of the checkout: the folder with package.json. */
export const root = path.resolve(import.meta.dirname, '../../..');

/** @param {...string} parts */
export const inRoot = (...parts) => path.join(root, ...parts);

/**
 * Working directory of the user. `npm run` changes into the checkout first and stores the original folder in INIT_CWD;
 * relative file arguments refer to it.
 */
export const callerFolder = process.env['npm_lifecycle_event'] ? (process.env['INIT_CWD'] ?? root) : process.cwd();
