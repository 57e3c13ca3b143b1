/** Creates a user kernel from a template: its code, its description, the program of its answer, and a scenario. */
import { readFile, unlink } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { BraggError } from '../../../contract/errors.ts';
import {
  type AnswerLanguage,
  type Beginning,
  beginningSchema,
  OWN_BENCH,
  type UserKernelDescription,
  userKernelIdSchema,
} from '../../../contract/user-kernels.ts';
import { descriptionFile, descriptionText } from '../../model/user-kernels/file.ts';
import { ownKernel } from '../../workloads/index.ts';
import { writeAtomically } from '../../workloads/scenarios/index.ts';

const shippedSchema = z.array(beginningSchema.extend({ problem: z.record(z.string(), z.number()) }));
type Shipped = z.infer<typeof shippedSchema>[number];

export async function readBeginnings(templates: string): Promise<readonly Shipped[]> {
  return shippedSchema.parse(JSON.parse(await readFile(path.join(templates, 'templates.json'), 'utf8')));
}

export const wordsOf = ({ id, title, says }: Shipped): Beginning => ({ id, title, says });

interface Begun {
  readonly templates: string;
  readonly folder: string;
  /** Name of the kernel's file; its ending says whether it is for a GPU. */
  readonly id: string;
  readonly beginning: string;
  readonly answer: AnswerLanguage;
}

const endings: Readonly<Record<AnswerLanguage, string>> = { python: '.py', typescript: '.ts' };

/** All four files or none; nothing that is there is replaced. Throws a BraggError that names what is. */
export async function begin({ templates, folder, id, beginning, answer }: Begun) {
  const all = await readBeginnings(templates);
  const from = all.find((one) => one.id === beginning);
  if (from === undefined) {
    const allowed = all.map((one) => one.id).join(', ');
    throw new BraggError('invalid', `unknown template ${JSON.stringify(beginning)}; allowed: ${allowed}`);
  }
  if (!userKernelIdSchema.safeParse(id).success) {
    const allowed = 'letters, digits, - _ . and .cu or .cpp at the end';
    throw new BraggError('invalid', `${JSON.stringify(id)} cannot be the name of a kernel; allowed: ${allowed}`);
  }
  const device = id.endsWith('.cu') ? 'cuda' : 'cpu';
  const { name: stem, ext } = path.parse(id);
  const program = `${stem}${endings[answer]}`;
  const own = ownKernel(device);
  const description: UserKernelDescription = {
    ...{ kind: 'variant', version: 1, ...own, bench: OWN_BENCH, title: stem, changes: from.title, answer: program },
    ...{ compile: {}, tunables: [], conditions: [] },
  };
  const scenario = {
    ...{ kind: own.workload, version: 1, name: stem, notes: `${from.title}: ${from.says}.` },
    problem: { kind: OWN_BENCH, ...from.problem },
    solver: { variant: id },
  };
  const text = (ending: string): Promise<string> => readFile(path.join(templates, `${from.id}${ending}`), 'utf8');
  const kernel = path.join(folder, id);
  const scenarioFile = path.join(folder, `${stem}-problem.json`);
  const files: readonly (readonly [string, string])[] = [
    [kernel, await text(ext)],
    [descriptionFile(kernel), descriptionText(description)],
    [path.join(folder, program), await text(endings[answer])],
    [scenarioFile, `${JSON.stringify(scenario, null, 2)}\n`],
  ];
  const made: string[] = [];
  try {
    for (const [file, content] of files) {
      await writeAtomically(file, content, 'refuse');
      made.push(file);
    }
  } catch (error) {
    for (const file of made) await unlink(file).catch(() => undefined);
    throw error;
  }
  return { kernel, scenario: scenarioFile, files: files.map(([file]) => file) };
}
