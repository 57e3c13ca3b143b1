/** `braggbench bench`: compares variants on a scenario, or on each scenario of a sweep. */

import type { WorkloadName } from '../../contract/workload.ts';
import {
  type BenchmarkId,
  deriveSession,
  readCurrentRules,
  readSessionNamed,
  sessionText,
  throwIfBenchTooLong,
} from '../../host/api/benches.ts';
import { benchKindOf } from '../../host/api/kernels.ts';
import { hostWorkloads, type Override, type ScenarioReading } from '../../host/api/scenarios.ts';
import type { Host } from '../../host/index.ts';
import { flagValue, gpuFlag, hasFlag, listFlag, parseSweep, setFlag, UsageError } from '../arguments.ts';
import { assetsFolder } from '../assets-folder.ts';
import { benchScenario, optionSpecs, printSession, suggestVariants } from '../benching.ts';
import { counterFlags, withCounterFiles } from '../counters/index.ts';
import { checkOutput, forceFlag, writeOutput } from '../output-file.ts';
import { parseOverrides, scenarioPath } from '../read-scenario.ts';
import { withRemoteFlag } from '../remote/on-host.ts';
import { wideFlag } from '../reports/session-table.ts';
import { withHost } from '../subjects.ts';
import { userKernelFlags } from '../user-kernels.ts';
import { type ExitCode, exitCodes, type VerbContext } from '../verb.ts';
import { workloadFor } from '../workloads/index.ts';
import { factorialVariants } from '../workloads/workload.ts';

/** Rejects sessions that cannot end within the time limit, which applies to all values of a sweep together. */
async function throwIfTooLong(
  { parsed }: VerbContext,
  host: Host,
  operand: string,
  { kind, place }: { readonly kind: WorkloadName; readonly place: BenchmarkId },
  suggested: readonly string[] | null = null,
): Promise<void> {
  const sweep = flagValue(parsed, 'sweep');
  const { benchable } = hostWorkloads[kind];
  // User kernels are not opened yet, so check only built-in variants. A configuration has the size of its variant.
  const shipped = listFlag(parsed, 'variants')
    ?.filter((name) => !/[\\/]|\.(cu|cpp)/.test(name))
    .map((name) => name.replace(/\[.*\]/, ''));
  const named =
    (await factorialVariants(parsed, host, place)) ?? (shipped === undefined ? suggested : [...new Set(shipped)]);
  const readingAt = async (more: readonly Override[]): Promise<ScenarioReading | null> => {
    const reading = await host.scenarios.read(scenarioPath(operand), {
      overrides: [...parseOverrides(parsed), ...more],
    });
    return reading.issues.some(({ severity }) => severity === 'error') ? null : reading;
  };
  const values = sweep === undefined ? [[]] : parseSweep(sweep).overrides;
  await throwIfBenchTooLong(host.addon, benchable, values, readingAt, named);
}

async function runBench(context: VerbContext): Promise<ExitCode> {
  const { parsed } = context;
  const kept = flagValue(parsed, 'open');
  if (kept !== undefined) {
    if (parsed.operands.length > 0) throw new UsageError('--open shows a saved session, so it accepts no scenario');
    const read = deriveSession(await readSessionNamed(kept), await readCurrentRules(assetsFolder()));
    const session = await withCounterFiles(read, parsed);
    const out = flagValue(parsed, 'out');
    if (out !== undefined) {
      await checkOutput(parsed, out);
      await writeOutput(parsed, out, sessionText(session));
    }
    await printSession(context, session);
    return exitCodes.done;
  }
  const [operand] = parsed.operands;
  if (operand === undefined) throw new UsageError('bench needs a scenario, or --open SESSION.json');
  const out = flagValue(parsed, 'out');
  if (out !== undefined) await checkOutput(parsed, out);
  return withHost(
    async (host) => {
      const reading = await host.scenarios.read(scenarioPath(operand), { overrides: parseOverrides(parsed) });
      const { kind, scenario } = reading;
      const chosen = hasFlag(parsed, 'factorial') || flagValue(parsed, 'variants') !== undefined;
      const suggested = kind === null || chosen ? null : await suggestVariants(context, host, reading);
      for (const line of suggested?.said ?? []) context.terminal.printNote(line);
      if (kind !== null) {
        await throwIfTooLong(
          context,
          host,
          operand,
          { kind, place: benchKindOf(scenario ?? { kind }) },
          suggested?.variants,
        );
      }
      return benchScenario(context, host, workloadFor(kind), suggested);
    },
    flagValue(parsed, 'gpu'),
  );
}

export const bench = withRemoteFlag({
  name: 'bench',
  usage:
    'bench SCENARIO [--variants a,b,…] [--set path=value …] [--sweep path=v,w,…] [--external a,b,…] [--trust] [--json]',
  summary: 'compare variants: speed with its uncertainty, and whether the answer is correct',
  details: [
    'Runs the variants in interleaved rounds in random order, and prepares each again every few rounds (an instance). Prints medians and ratios to the first variant. The 95 % intervals are computed from the variation between instances, and hold for all rows at once; with fewer than three instances or five rounds there is no verdict. The first variant is measured twice, with separate preparations: the difference gives the noise floor, below which nothing is called faster or slower. Same means that the whole interval lies inside the margin. Every row shows the error of its dose against an FP64 reference; a variant beyond the parity limit is wrong, whatever its speed.',
    'An end-to-end run goes from the problem to its result in memory. It is the first column, followed by the share of the steps. Pays from is a number of runs that share one set-up. From that number on, a variant needs less total time than the variant with the fastest end-to-end run. A cold process goes from the start of a separate process to the result in its memory.',
    'Times of steps are measured by the clock of the device on a GPU, and by that of the host on the CPU. Samples taken under a throttled or reduced clock, and outliers, are included and flagged. Ratios are shown with and without them.',
    'For a diffraction scenario, the table shows the kernel time of an image; the time until the image is in memory; the set-up separately; the time per lattice factor and core. Errors relative to the FP64 reference are the relative L2 norm; the largest difference divided by the largest pixel; the error of bright pixels (above 1e-3 of the largest) and of the sum.',
    'For a small measured workload (a linear layer, a row of the table of claims): every variant is prepared once and repeated; the table shows the time of a repetition; the bandwidth and arithmetic as shares of the measured limits; the largest error against FP64, values reported by the variants themselves, and published claims next to the measured results.',
    'Ends when every verdict on end-to-end runs and on steps is decided, or when its time is used up. Candidates that are decided are dropped if they use most of the time. npm run bench -- verdicts simulates how often its verdicts are wrong.',
  ],
  flags: [
    {
      name: 'variants',
      value: 'a,b,…',
      help: 'Variants to measure, in this order; by default those that fit into the time. cuda-fused@fp64 sets a precision, cuda-fused:1 uses the second GPU, cuda-gather[fmad=0] compiles without fused multiply-add, ./my.cu is your own kernel.',
    },
    {
      name: 'factorial',
      help: 'Instead of --variants: measure the optimisations of this benchmark one by one and together, on a GPU if there is one.',
    },
    setFlag('Change a value of the scenario.'),
    {
      name: 'sweep',
      value: 'path=v,w,…',
      help: 'Measure at each of these values, and fit fixed cost and slope; a+b=… sets two parameters to the same value.',
    },
    {
      name: 'modes',
      value: 'warm,cold,…',
      help: 'Additional modes: with emptied caches (cold), with launches replayed as one graph (graph), and with caches emptied before each replay (cold-graph).',
    },
    {
      name: 'external',
      value: 'a,b,…',
      help: 'Other programs as candidates: ids in assets/external/registry.json; nanobragg=FILE gives the path of your program.',
    },
    gpuFlag,
    wideFlag,
    ...optionSpecs,
    {
      name: 'trace',
      help: "For a small measured workload: after the rounds, record every repetition and the GPU's work in one sample of each variant, for export and the timeline; needs --out.",
    },
    { name: 'out', value: 'SESSION.json', help: 'Save the session with every sample.' },
    forceFlag,
    ...counterFlags,
    { name: 'open', value: 'SESSION.json', help: 'Show a saved session instead of measuring; needs no GPU.' },
    ...userKernelFlags,
    { name: 'json', help: 'Print one JSON document, with every sample, instead of text.' },
  ],
  examples: [
    'braggbench bench water-70MeV --variants window,depth',
    'braggbench bench water-70MeV --factorial',
    'braggbench bench water-70MeV --variants window --sweep grid.dx_mm=1,0.5,0.25',
    'braggbench bench uniform-grid-70MeV --external cupy-raw,numpy-array --out session.json',
    'braggbench bench simple-cubic-1024 --external torch-image-compile,nanobragg=./nanoBragg',
    'braggbench bench simple-cubic-1024 --sweep detector.width+detector.height=256,512,1024,2048,4096',
    'braggbench bench overlap --trace --out overlap.json',
    'braggbench bench --open session.json',
    'braggbench bench --open session.json --counters cuda-window=window.csv --out counted.json',
  ],
  operands: { min: 0, max: 1, name: 'a scenario' },
  run: runBench,
});
