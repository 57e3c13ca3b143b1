import { globSync, readFileSync } from 'node:fs';
import { capture } from '../setup/command.mjs';
import { inRoot } from '../setup/root.mjs';
import { say } from '../setup/say.mjs';
import { EVERY_MACHINE } from '../steps/native.mjs';
import { FAILED, PASSED, skipped } from './result.mjs';

const NAME = 'Instruction sets keep apart';

/** CMake's folders of objects, from dist/cmake: those of code for every machine, and one per instruction set. */
const BASELINE = 'CMakeFiles/bb_{core,engine,cuda,more,launching}.dir';
const OF_A_SET = 'CMakeFiles/bb_simd_{,more_}*.dir';

/**
 * The functions that objects define for the linker, by their C++ names.
 * @param {readonly string[]} objects
 * @returns {Promise<readonly string[] | null>} null where there is no nm that can tell
 */
async function functions(objects) {
  const { code, output } = await capture('nm', ['-C', '-g', '--defined-only', ...objects]);
  return code === 0 ? [...output.matchAll(/^[0-9a-f]+ [TW] (.+)$/gm)].map((match) => match[1] ?? '') : null;
}

/** @param {string} folder */
const objectsIn = (folder) => globSync(`${folder}/**/*.{o,obj}`, { cwd: inRoot('dist/cmake') }).map(fromCmake);
const fromCmake = (/** @type {string} */ file) => inRoot('dist/cmake', file);

/**
 * An inline function may be compiled for AVX-512 and not into a namespace of that set. The linker may choose it for
 * every caller, and a machine without AVX-512 then dies of it. Ours must not be there at all; those of the standard
 * library only where an object for any machine, which comes first on the link line, has them too.
 * @type {import('./result.mjs').Suite}
 */
export const instructionSets = {
  name: NAME,
  builds: true,
  run: async () => {
    const { isas } = JSON.parse(readFileSync(inRoot('dist/native/include/user_kernel_build.json'), 'utf8'));
    const sets = Object.keys(isas);
    if (sets.length < 2) return skipped(NAME, `this build has one instruction set (${EVERY_MACHINE}=1 builds all)`);
    const everywhere = await functions(objectsIn(BASELINE));
    if (!everywhere) return skipped(NAME, 'no nm that lists what objects define');
    const first = new Set(everywhere);
    /** @type {string[]} */
    const wrong = [];
    for (const set of sets) {
      const defined = (await functions(objectsIn(OF_A_SET.replace('*', set)))) ?? [];
      if (defined.length === 0) wrong.push(`${set}: its objects define nothing`);
      for (const name of defined) {
        if (name.includes(`${set}::`) || (!name.includes('bb::') && first.has(name))) continue;
        wrong.push(`${set}: ${name}`);
      }
    }
    if (wrong.length === 0) return PASSED;
    say(`Compiled for one instruction set, and open to all callers:\n  ${wrong.join('\n  ')}`);
    return FAILED;
  },
};
