/** `braggbench examples`: the scenarios that come with the program, by the question that they answer. */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { hasFlag, jsonFlag } from '../arguments.ts';
import { assetsFolder } from '../assets-folder.ts';
import { exitCodes } from '../exit-codes.ts';
import { pairs } from '../table.ts';
import type { Verb } from '../verb.ts';

const groupsSchema = z.array(
  z.strictObject({ about: z.string(), question: z.string(), files: z.array(z.string()).readonly() }),
);
const namedSchema = z.looseObject({ name: z.string() });

interface Example {
  /** As the other verbs take it. */
  readonly name: string;
  readonly title: string;
}

/** Recorded runs are listed in the library of the page, but are no scenarios. */
const isScenario = (file: string): boolean => file.endsWith('.json');

async function exampleOf(folder: string, file: string): Promise<Example> {
  const { name } = namedSchema.parse(JSON.parse(await readFile(join(folder, 'scenarios', file), 'utf8')));
  return { name: basename(file, '.json'), title: name };
}

export const examplesVerb: Verb = {
  name: 'examples',
  usage: 'examples [--json]',
  summary: 'list the scenarios that come with the program',
  details: [
    'Lists the example scenarios by the question that they answer. Every verb that takes a scenario takes their names.',
  ],
  flags: [jsonFlag],
  examples: ['braggbench examples', 'braggbench run water-150MeV'],
  operands: { min: 0, max: 0, name: 'nothing' },
  run: async ({ parsed, terminal }) => {
    const folder = assetsFolder();
    const groups = groupsSchema.parse(JSON.parse(await readFile(join(folder, 'examples', 'groups.json'), 'utf8')));
    const listed = await Promise.all(
      groups.map(async ({ files, ...group }) => ({
        ...group,
        examples: await Promise.all(files.filter(isScenario).map((file) => exampleOf(folder, file))),
      })),
    );
    const filled = listed.filter(({ examples }) => examples.length > 0);
    if (hasFlag(parsed, 'json')) terminal.printJson({ groups: filled });
    else {
      for (const [i, { about, question, examples }] of filled.entries()) {
        if (filled[i - 1]?.about !== about) terminal.print(`${i === 0 ? '' : '\n'}${terminal.style('bold', about)}`);
        terminal.print(`\n  ${question}`);
        for (const line of pairs(examples.map(({ name, title }) => [`  ${name}`, title]))) terminal.print(line);
      }
    }
    return exitCodes.done;
  },
};
