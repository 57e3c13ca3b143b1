/** `npm run test:sanitized`: the C++ tests with address and undefined-behaviour sanitizers, which `npm test` leaves out. */
import { testing } from './suites/entry.mjs';

await testing('npm run test:sanitized', ({ sanitized }) => sanitized);
