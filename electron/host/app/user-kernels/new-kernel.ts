/**
 * Creates a problem folder with one kernel from a template: the problem's description, the program that computes its
 * expected answer, and the code.
 */
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import { type AnswerLanguage, type KernelTemplate, userKernelIdSchema } from '../../../contract/user-kernels.ts';
import { type ProblemFolder, readProblemFolder } from '../../model/user-kernels/problem-folder.ts';

async function readTemplates(templates: string): Promise<readonly ProblemFolder[]> {
  const names = (await readdir(templates)).sort();
  const found = await Promise.all(names.map((name) => readProblemFolder(path.join(templates, name))));
  return found.flatMap((one) => one ?? []);
}

export async function readKernelTemplates(templates: string): Promise<KernelTemplate[]> {
  return (await readTemplates(templates)).flatMap(({ name, definition }) => {
    const [first] = definition.candidates;
    return first === undefined ? [] : [{ id: name, title: first.title, says: first.changes }];
  });
}

interface NewKernel {
  readonly templates: string;
  /** Parent of the new problem folder. */
  readonly folder: string;
  /** File name of the kernel. Its extension selects CPU or GPU. */
  readonly id: string;
  readonly beginning: string;
  readonly answer: AnswerLanguage;
}

const endings: Readonly<Record<AnswerLanguage, string>> = { python: '.py', typescript: '.ts' };

/**
 * Creates a problem folder that is named after the kernel. Either all files are written or none, and no file is
 * replaced. Throws BraggError.
 */
export async function createKernel({ templates, folder, id, beginning, answer }: NewKernel) {
  const all = await readTemplates(templates);
  const from = all.find(({ name }) => name === beginning);
  if (from === undefined) {
    const allowed = all.map(({ name }) => name).join(', ');
    throw new BraggError('invalid', `unknown template ${JSON.stringify(beginning)}; allowed: ${allowed}`);
  }
  const { name, ext } = path.parse(id);
  const declared = from.definition.candidates.find(({ file }) => path.extname(file) === ext);
  if (!userKernelIdSchema.safeParse(id).success || declared === undefined) {
    const allowed = 'letters, digits, - _ . and .cu or .cpp at the end';
    throw new BraggError('invalid', `${JSON.stringify(id)} cannot be the name of a kernel; allowed: ${allowed}`);
  }
  const source = path.dirname(from.file);
  const reference = `reference${endings[answer]}`;
  const document = {
    ...JSON.parse(await readFile(from.file, 'utf8')),
    ...{ name, reference, candidates: [{ ...declared, file: id }] },
  };
  await mkdir(folder, { recursive: true });
  const made = path.join(folder, name);
  await mkdir(made).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new BraggError(
      'exists',
      `${made} exists; choose a free name, because the problem gets a folder with this name`,
    );
  });
  const [kernel, scenario] = [path.join(made, id), path.join(made, 'problem.json')];
  try {
    await cp(path.join(source, declared.file), kernel);
    await cp(path.join(source, reference), path.join(made, reference));
    await writeFile(scenario, `${JSON.stringify(document, null, 2)}\n`);
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    throw error;
  }
  return { folder: made, kernel, scenario, files: [kernel, scenario, path.join(made, reference)] };
}
