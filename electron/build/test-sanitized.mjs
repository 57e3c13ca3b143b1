/** `npm run test:all -- sanitized`: the C++ tests with address and undefined-behaviour sanitizers, by Clang where it is installed. */
import { testing } from './suites/entry.mjs';

await testing('npm run test:all -- sanitized', ({ sanitized }) => sanitized);
