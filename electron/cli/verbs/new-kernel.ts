/**
 * `braggbench new-kernel`: creates a problem folder with a first kernel and a program that computes the expected
 * answer.
 */
import path from 'node:path';
import { answerLanguages } from '../../contract/user-kernels.ts';
import { createKernel } from '../../host/api/kernels.ts';
import { flagOneOf, hasFlag, jsonFlag } from '../arguments.ts';
import { assetsFolder } from '../assets-folder.ts';
import { exitCodes, type Verb } from '../verb.ts';

export const newKernelVerb: Verb = {
  name: 'new-kernel',
  usage: 'new-kernel TEMPLATE FILE [--answer LANGUAGE] [--json]',
  summary: 'create a new user kernel',
  details: [
    'Makes a problem folder named after FILE: the kernel, a program that computes the expected result, and problem.json, which describes inputs and results. FILE ends in .cu for a kernel on a GPU, in .cpp for one on the CPU. TEMPLATE is reduction, stencil or vector-add. Edit the files, then measure the folder with bench. Every .cu, .cpp or .py file that you add to it is a candidate.',
  ],
  flags: [
    {
      name: 'answer',
      value: 'LANGUAGE',
      help: `Language of the program for the expected result (python): ${answerLanguages.join(', ')}.`,
    },
    jsonFlag,
  ],
  examples: [
    'braggbench new-kernel reduction my-sum.cu',
    'braggbench new-kernel stencil my-mean.cpp --answer typescript',
  ],
  operands: { min: 2, max: 2, name: 'a template, and a file name' },
  run: async ({ parsed, terminal }) => {
    const [beginning = '', file = ''] = parsed.operands;
    const { dir, base: id } = path.parse(path.resolve(file));
    const templates = path.join(assetsFolder(), 'templates');
    const answer = flagOneOf(parsed, 'answer', answerLanguages);
    const made = await createKernel({ templates, folder: dir, id, beginning, answer });
    if (hasFlag(parsed, 'json')) terminal.printJson({ files: made.files });
    else {
      const here = (one: string): string => path.relative(process.cwd(), one) || one;
      for (const one of made.files) terminal.print(`  ${here(one)}`);
      terminal.print(`Measure it: braggbench bench ${here(made.folder)} --trust`);
    }
    return exitCodes.done;
  },
};
