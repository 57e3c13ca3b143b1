/** `npm run test:all -- long`: what takes long for what it asks, which `npm test` leaves out: see suites/all.mjs. */
import { testing } from './suites/entry.mjs';

await testing('npm run test:all -- long', ({ long }) => long);
