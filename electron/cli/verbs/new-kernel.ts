/** `braggbench new-kernel`: creates a user kernel, with a scenario that runs it and a program for its answer. */
import path from 'node:path';
import { answerLanguages } from '../../contract/user-kernels.ts';
import { begin } from '../../host/app/user-kernels/begin.ts';
import { flagOneOf, hasFlag, jsonFlag } from '../arguments.ts';
import { assetsFolder } from '../assets-folder.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Verb } from '../verb.ts';

export const newKernelVerb: Verb = {
  name: 'new-kernel',
  usage: 'new-kernel TEMPLATE FILE [--answer LANGUAGE] [--json]',
  summary: 'begin a kernel of your own from nothing',
  details: [
    'Makes four files: the kernel, its description, a program that gives the expected answer, and a scenario that runs it. FILE ends in .cu for a kernel on a GPU, in .cpp for one on the CPU. TEMPLATE is vector-add, reduction or stencil. Change the kernel and the program, then run the scenario. The results are held to what your program says.',
  ],
  flags: [
    {
      name: 'answer',
      value: 'LANGUAGE',
      help: `What the expected answer is written in (python): ${answerLanguages.join(', ')}.`,
    },
    jsonFlag,
  ],
  examples: [
    'braggbench new-kernel reduction my-sum.cu',
    'braggbench new-kernel stencil my-mean.cpp --answer typescript',
  ],
  operands: { min: 2, max: 2, name: 'a template, and the name of a file' },
  run: async ({ parsed, terminal }) => {
    const [beginning = '', file = ''] = parsed.operands;
    const { dir, base: id } = path.parse(path.resolve(file));
    const templates = path.join(assetsFolder(), 'templates');
    const answer = flagOneOf(parsed, 'answer', answerLanguages);
    const made = await begin({ templates, folder: dir, id, beginning, answer });
    if (hasFlag(parsed, 'json')) terminal.printJson({ files: made.files });
    else {
      const here = (one: string): string => path.relative(process.cwd(), one) || one;
      for (const one of made.files) terminal.print(`  ${here(one)}`);
      terminal.print(`Run it: braggbench run ${here(made.scenario)} --variant ./${here(made.kernel)}`);
    }
    return exitCodes.done;
  },
};
