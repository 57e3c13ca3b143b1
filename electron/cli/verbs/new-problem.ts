/** `braggbench new-problem`: a folder with a problem of the user, begun as a copy of a shipped one. */
import { existsSync } from 'node:fs';
import { cp, readdir } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../contract/errors.ts';
import { hasFlag, jsonFlag } from '../arguments.ts';
import { assetsFolder } from '../assets-folder.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Verb } from '../verb.ts';

export const newProblemVerb: Verb = {
  name: 'new-problem',
  usage: 'new-problem EXAMPLE FOLDER [--json]',
  summary: 'begin a problem of your own from a shipped one',
  details: [
    'Copies a shipped problem: its description, its reference and three candidates, one of them wrong. EXAMPLE is heat-step, layer-norm, matrix-inverse, segment-sum or softmax-rows. Change them, then measure the folder with bench.',
  ],
  flags: [jsonFlag],
  examples: ['braggbench new-problem softmax-rows my-softmax'],
  operands: { min: 2, max: 2, name: 'an example, and the name of a folder' },
  run: async ({ parsed, terminal }) => {
    const [example = '', folder = ''] = parsed.operands;
    const shipped = path.join(assetsFolder(), 'problems');
    const known = (await readdir(shipped)).sort();
    if (!known.includes(example)) {
      const says = `unknown example ${JSON.stringify(example)}; allowed: ${known.join(', ')}`;
      throw new BraggError('invalid', says);
    }
    const target = path.resolve(folder);
    if (existsSync(target)) throw new BraggError('exists', `${folder} exists; allowed: the name of a new folder`);
    await cp(path.join(shipped, example), target, { recursive: true });
    const files = (await readdir(target)).sort().map((name) => path.join(target, name));
    if (hasFlag(parsed, 'json')) terminal.printJson({ files });
    else {
      for (const file of files) terminal.print(`  ${path.relative(process.cwd(), file)}`);
      terminal.print(`Measure it: braggbench bench ${path.relative(process.cwd(), target)} --trust`);
    }
    return exitCodes.done;
  },
};
