/**
 * `braggbench new-problem`: creates a folder with a user problem, copied from a built-in one or converted from another
 * benchmark suite.
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../contract/errors.ts';
import {
  type ConvertedProblem,
  convertFlashInfer,
  convertKernelBench,
  isDefinition,
  readDefinition,
  readSolution,
  readTraces,
} from '../../host/api/kernels.ts';
import { hasFlag, jsonFlag, type ParsedArguments, UsageError } from '../arguments.ts';
import { assetsFolder } from '../assets-folder.ts';
import { exitCodes, type Verb } from '../verb.ts';

const textOf = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch(() => {
    throw new BraggError('not-found', `${file} cannot be read`);
  });

const filesOf = ({ flags }: ParsedArguments, name: string): readonly string[] => flags.get(name) ?? [];

/** Reads files and returns pairs of name and text. */
const readTexts = (files: readonly string[]): Promise<readonly (readonly [string, string])[]> =>
  Promise.all(files.map(async (file) => [path.basename(file), await textOf(file)] as const));

async function convertDefinition(file: string, parsed: ParsedArguments): Promise<ConvertedProblem> {
  const definition = readDefinition(await textOf(file), path.basename(file));
  const traces = await readTexts(filesOf(parsed, 'workloads'));
  const solutions = await readTexts(filesOf(parsed, 'solution'));
  return convertFlashInfer(
    definition,
    traces.flatMap(([name, text]) => readTraces(text, name)),
    solutions.map(([name, text]) => readSolution(text, name)),
  );
}

async function convertModule(file: string, parsed: ParsedArguments, signal: AbortSignal): Promise<ConvertedProblem> {
  if (!hasFlag(parsed, 'trust'))
    throw new BraggError(
      'untrusted',
      `${file} must be run to find its shapes: it is code that runs with your rights. Read it, then trust it with --trust`,
    );
  const solutions = Object.fromEntries(await readTexts(filesOf(parsed, 'solution')));
  return convertKernelBench({ file, source: await textOf(file), solutions, signal });
}

/** Converts the file of another benchmark suite to a problem; null if `name` is a built-in problem. */
async function convertProblem(
  from: string,
  parsed: ParsedArguments,
  signal: AbortSignal,
): Promise<ConvertedProblem | null> {
  if (from.endsWith('.py')) return convertModule(from, parsed, signal);
  if (!from.endsWith('.json')) return null;
  const text = await textOf(from);
  const isOne = (() => {
    try {
      return isDefinition(JSON.parse(text));
    } catch {
      return false;
    }
  })();
  if (!isOne)
    throw new BraggError(
      'foreign-file',
      `${from} is not a definition; expected JSON with axes, inputs, outputs and reference`,
    );
  return convertDefinition(from, parsed);
}

export const newProblemVerb: Verb = {
  name: 'new-problem',
  usage: 'new-problem FROM FOLDER [--workloads FILE …] [--solution FILE …] [--trust] [--json]',
  summary: 'create your own problem from a shipped one, or from another benchmark',
  details: [
    'FROM is heat-step, layer-norm, matrix-inverse, segment-sum or softmax-rows: its description, reference and candidates are copied. Each has one intentionally wrong candidate. FROM may also be a definition of FlashInfer-Trace (.json), or a task of KernelBench (.py). Parts without an equivalent are refused with the reason. Edit the files, then measure the folder with bench.',
  ],
  flags: [
    {
      name: 'workloads',
      value: 'FILE',
      repeats: true,
      help: 'Workloads or traces of a definition, one per line. May be repeated.',
    },
    { name: 'solution', value: 'FILE', repeats: true, help: 'A solution that becomes a candidate. May be repeated.' },
    { name: 'trust', help: 'Trust a task of KernelBench, which is run to find its shapes.' },
    jsonFlag,
  ],
  examples: [
    'braggbench new-problem softmax-rows my-softmax',
    'braggbench new-problem rmsnorm_h4096.json my-norm --workloads rmsnorm_h4096.jsonl',
    'braggbench new-problem 23_Softmax.py my-softmax --trust',
  ],
  operands: { min: 2, max: 2, name: 'an example or a file, and the name of a folder' },
  run: async ({ parsed, terminal, signal }) => {
    const [from = '', folder = ''] = parsed.operands;
    const shipped = path.join(assetsFolder(), 'problems');
    const known = (await readdir(shipped)).sort();
    const target = path.resolve(folder);
    if (existsSync(target)) throw new BraggError('exists', `${folder} already exists; choose the name of a new folder`);
    const found = await convertProblem(from, parsed, signal);
    if (found === null) {
      if (!known.includes(from)) {
        const says = `unknown example ${JSON.stringify(from)}; allowed: ${known.join(', ')}, a .json or a .py file`;
        throw new BraggError('invalid', says);
      }
      for (const name of ['workloads', 'solution'])
        if (filesOf(parsed, name).length > 0)
          throw new UsageError(`--${name} is only allowed for a .json or a .py file`);
      await cp(path.join(shipped, from), target, { recursive: true });
    } else {
      await mkdir(target, { recursive: true });
      const document = `${JSON.stringify(found.document, null, 2)}\n`;
      for (const [name, text] of Object.entries({ 'problem.json': document, ...found.files }))
        await writeFile(path.join(target, name), text, { flag: 'wx' });
    }
    const files = (await readdir(target)).sort().map((name) => path.join(target, name));
    const lost = found?.lost ?? [];
    if (hasFlag(parsed, 'json')) terminal.printJson({ files, lost });
    else {
      for (const file of files) terminal.print(`  ${path.relative(process.cwd(), file)}`);
      for (const line of lost) terminal.print(`Differs from the original: ${line}`);
      terminal.print(`Measure it: braggbench bench ${path.relative(process.cwd(), target)} --trust`);
    }
    return exitCodes.done;
  },
};
