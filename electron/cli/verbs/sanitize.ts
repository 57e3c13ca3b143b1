/**
 * `braggbench sanitize`: runs a kernel under NVIDIA's compute-sanitizer and reports the findings by kernel and line.
 */
import path from 'node:path';
import { BraggError } from '../../contract/errors.ts';
import { sanitizerSummary, sanitizerTools } from '../../contract/user-kernels/checks.ts';
import { runSanitizer } from '../../host/api/benches.ts';
import { flagOneOf, flagValue, gpuFlag, hasFlag, jsonFlag, setFlag } from '../arguments.ts';
import { readScenario, scenarioPath } from '../read-scenario.ts';
import { withHost } from '../subjects.ts';
import { userKernelFlags } from '../user-kernels.ts';
import { exitCodes, type Verb } from '../verb.ts';
import { workloadFor } from '../workloads/index.ts';

/** Default time limit of a user kernel, s. Kernels are slow under the sanitizer. */
const DEFAULT_LIMIT = '1800';

export const sanitizeVerb: Verb = {
  name: 'sanitize',
  usage: 'sanitize SCENARIO [--variant ID|FILE] [--tool NAME] [--set path=value …] [--trust] [--json]',
  summary: 'run a scenario under compute-sanitizer from NVIDIA, and print its findings',
  details: [
    'Runs a CUDA variant, shipped or your own, under compute-sanitizer of the CUDA toolkit. Prints its findings by kernel and line: accesses beyond the end of an array, races in shared memory, uninitialised memory, barriers that not all threads reach. A checked kernel runs ten to a hundred times slower: choose a small scenario. Exit code 1 if anything was found.',
  ],
  flags: [
    { name: 'variant', value: 'ID|FILE', help: 'Variant to check; see braggbench variants.' },
    { name: 'tool', value: 'NAME', help: `Kind of check (memcheck); one of ${sanitizerTools.join(', ')}.` },
    setFlag('Change a value of the scenario first.'),
    gpuFlag,
    ...userKernelFlags,
    jsonFlag,
  ],
  examples: ['braggbench sanitize bounds --variant cuda-unchecked', 'braggbench sanitize small.json --variant ./my.cu'],
  operands: { min: 1, max: 1, name: 'a scenario' },
  run: (context) => {
    const { parsed, terminal, signal } = context;
    const tool = flagOneOf(parsed, 'tool', sanitizerTools);
    const gpu = flagValue(parsed, 'gpu');
    return withHost(async (host) => {
      // Report input errors and missing trust before any process is started.
      const { kind: workload, scenario } = await readScenario(context, host, (kind) => workloadFor(kind).adapt);
      const id = scenario?.solver.variant ?? '';
      const base = host.userKernels.find(id)?.base ?? host.userKernels.bases().find((one) => one.id === id);
      if (base?.device !== 'cuda') {
        const says = `${id} of ${workload} runs on the CPU, but compute-sanitizer checks CUDA kernels only`;
        throw new BraggError('invalid', `${says}; choose one with --variant`);
      }
      const variant = flagValue(parsed, 'variant');
      const file = variant !== undefined && /\.(cu|cpp)$/.test(variant) ? path.resolve(variant) : null;
      const words = [
        ...['run', path.resolve(scenarioPath(parsed.operands[0] ?? ''))],
        ...(variant === undefined ? [] : ['--variant', file ?? variant]),
        ...(parsed.flags.get('set') ?? []).flatMap((text) => ['--set', text]),
        ...(gpu === undefined ? [] : ['--gpu', gpu]),
        ...['--limit', flagValue(parsed, 'limit') ?? DEFAULT_LIMIT, '--trust'],
      ];
      const found = await runSanitizer({
        tool,
        args: words,
        kernel: file === null ? null : path.basename(file),
        signal,
      });
      if (hasFlag(parsed, 'json')) terminal.printJson(found);
      else {
        terminal.print(terminal.style(found.errors === 0 ? 'green' : 'red', sanitizerSummary(found)));
        for (const { what, kernel, file: at, line, more, times } of found.findings) {
          const place = at === null ? '' : `${path.basename(at)}${line === null ? '' : `:${line}`}  `;
          terminal.print(`  ${place}${kernel ?? ''}`);
          terminal.print(`    ${what}${times === 1 ? '' : `, reported ${times} times`}`);
          if (more !== '') terminal.print(`    ${more}`);
        }
        terminal.print(`  ${found.command}  (${found.seconds.toFixed(1)} s)`);
      }
      return found.errors === 0 ? exitCodes.done : exitCodes.failed;
    }, gpu);
  },
};
