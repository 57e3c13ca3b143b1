/** `braggbench examples`: lists the built-in scenarios by the question that they answer. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { z } from 'zod';
import { exampleGroupsSchema, expandGroups } from '../../domain/examples.ts';
import { hasFlag, jsonFlag } from '../arguments.ts';
import { assetsFolder } from '../assets-folder.ts';
import { formatPairs } from '../table.ts';
import { exitCodes, type Verb } from '../verb.ts';

const namedSchema = z.looseObject({ name: z.string() });

interface Example {
  /** Name by which other verbs accept the example. */
  readonly name: string;
  readonly title: string;
}

/** Whether the file is a scenario. Example groups also contain recorded runs. */
const isScenario = (file: string): boolean => file.endsWith('.json');

async function readExample(folder: string, file: string): Promise<Example> {
  const { name } = namedSchema.parse(JSON.parse(await readFile(join(folder, 'scenarios', file), 'utf8')));
  return { name: basename(file, '.json'), title: name };
}

export const examplesVerb: Verb = {
  name: 'examples',
  usage: 'examples [--json]',
  summary: 'list the example scenarios',
  details: [
    'Lists the example scenarios by the question that they answer. Every verb with a SCENARIO argument accepts their names.',
  ],
  flags: [jsonFlag],
  examples: ['braggbench examples', 'braggbench run water-150MeV'],
  operands: { min: 0, max: 0, name: 'nothing' },
  run: async ({ parsed, terminal }) => {
    const folder = assetsFolder();
    const groups = exampleGroupsSchema.parse(
      JSON.parse(await readFile(join(folder, 'examples', 'groups.json'), 'utf8')),
    );
    const present = (await readdir(join(folder, 'scenarios'), { recursive: true })).map((file) =>
      file.replaceAll(sep, '/'),
    );
    const listed = await Promise.all(
      expandGroups(groups, present.filter(isScenario)).map(async ({ files, ...group }) => ({
        ...group,
        examples: await Promise.all(files.filter(isScenario).map((file) => readExample(folder, file))),
      })),
    );
    const filled = listed.filter(({ examples }) => examples.length > 0);
    if (hasFlag(parsed, 'json')) terminal.printJson({ groups: filled });
    else {
      for (const [i, { about, question, examples }] of filled.entries()) {
        if (filled[i - 1]?.about !== about) terminal.print(`${i === 0 ? '' : '\n'}${terminal.style('bold', about)}`);
        terminal.print(`\n  ${question}`);
        for (const line of formatPairs(examples.map(({ name, title }) => [`  ${name}`, title]))) terminal.print(line);
      }
    }
    return exitCodes.done;
  },
};
