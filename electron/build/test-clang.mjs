/** `npm run test:clang`: addon and C++ tests compiled by Clang, warnings as errors, and the tests run; where Clang is installed. */
import { testing } from './suites/entry.mjs';

await testing('npm run test:clang', ({ byClang }) => byClang);
