/**
 * `braggbench reproduce`: writes a user kernel and its scenario to a folder that builds and runs without the workbench.
 */
import path from 'node:path';
import { documentForBase, freeFolder, reproduce } from '../../host/api/kernels.ts';
import { invalidScenarioError } from '../../host/api/scenarios.ts';
import { flagValue, hasFlag, jsonFlag, setFlag, UsageError } from '../arguments.ts';
import { parseOverrides, scenarioPath } from '../read-scenario.ts';
import { withHost } from '../subjects.ts';
import { obtainTrust } from '../user-kernels.ts';
import { exitCodes, type Verb } from '../verb.ts';

export const reproduceVerb: Verb = {
  name: 'reproduce',
  usage: 'reproduce SCENARIO --variant FILE [--out FOLDER] [--set path=value …] [--json]',
  summary: 'export a user kernel and its problem as a standalone program',
  details: [
    'Writes one folder with the source of the kernel, its problem, the headers and the engine of Braggbench, and a CMake file. It builds and runs without the workbench: to show an error to others, and for use with cuda-gdb, gdb or compute-sanitizer. The README in the folder explains how. Nothing of the kernel is compiled or run during the export, except the program for its expected result, if it has one.',
  ],
  flags: [
    { name: 'variant', value: 'FILE', help: 'The kernel: a .cu or .cpp file with its description next to it.' },
    { name: 'out', value: 'FOLDER', help: 'Output folder; NAME-reproducer in the current folder by default.' },
    setFlag('Change a value of the scenario first.'),
    {
      name: 'trust',
      help: 'Trust the program that computes the expected result. It is run during the export, with your rights.',
    },
    jsonFlag,
  ],
  examples: [
    'braggbench reproduce water-70MeV --variant ./my.cu',
    'braggbench reproduce small.json --variant ./my.cpp --out bug',
  ],
  operands: { min: 1, max: 1, name: 'a scenario' },
  run: (context) => {
    const { parsed, terminal } = context;
    return withHost(async (host) => {
      const file = flagValue(parsed, 'variant');
      if (file === undefined || !/\.(cu|cpp)$/.test(file)) {
        throw new UsageError('--variant is required: the .cu or .cpp file of the kernel to export');
      }
      const kernel = await host.userKernels.open(path.resolve(file));
      // Ask for trust, because the program that computes the answer is run.
      if (kernel.referenceProgram !== null) await obtainTrust(context, host, path.resolve(file));
      const scenario = scenarioPath(parsed.operands[0] ?? '');
      const found = await host.scenarios.read(scenario, { overrides: parseOverrides(parsed) });
      if (found.draft === null) throw invalidScenarioError(found.issues);
      const place = { name: scenario, folder: path.dirname(scenario) };
      const reading = await host.scenarios.check(documentForBase(found.draft, kernel), place);
      const out = flagValue(parsed, 'out');
      const folder = out === undefined ? freeFolder(process.cwd(), kernel) : path.resolve(out);
      const { addon, userKernels } = host;
      const files = await reproduce({ addon, userKernels, kernel, reading, folder });
      if (hasFlag(parsed, 'json')) terminal.printJson({ folder, files });
      else {
        terminal.print(`${folder}: ${files} files`);
        terminal.print('  cmake -B build && cmake --build build && ./bin/reproduce');
      }
      return exitCodes.done;
    });
  },
};
