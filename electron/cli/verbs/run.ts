/** `braggbench run`: solves a scenario and reports the result. */
import { resolve } from 'node:path';
import type { NamedFile } from '../../contract/files.ts';
import type { Host } from '../../host/index.ts';
import { flagValue, gpuFlag, jsonFlag, setFlag, UsageError } from '../arguments.ts';
import { checkOutput, forceFlag } from '../output-file.ts';
import { readScenario } from '../read-scenario.ts';
import { withRemoteFlag } from '../remote/on-host.ts';
import { withHost } from '../subjects.ts';
import { userKernelFlags } from '../user-kernels.ts';
import type { ExitCode, VerbContext } from '../verb.ts';
import { checkRunFlags, runFlags, workloadFor } from '../workloads/index.ts';

/** File of --out; null if the flag is absent. Checks before the run that the file can be written. */
async function outputPath({ parsed }: VerbContext, host: Host): Promise<NamedFile | null> {
  const out = flagValue(parsed, 'out');
  if (out === undefined) return null;
  if (out.trim() === '') throw new UsageError('--out needs a file name, such as run.h5');
  await checkOutput(parsed, resolve(out));
  return host.grant(resolve(out));
}

export async function performRun(context: VerbContext, host: Host): Promise<ExitCode> {
  const place = await outputPath(context, host);
  const reading = await readScenario(context, host, (kind) => workloadFor(kind).adapt);
  checkRunFlags(context.parsed, reading.kind);
  return workloadFor(reading.kind).run(context, host, reading, place);
}

export const run = withRemoteFlag({
  name: 'run',
  usage:
    'run SCENARIO [--variant ID|FILE] [--set path=value …] [--out RUN.h5] [--trust] [--limit SECONDS] [--trace] [--json]',
  summary: 'solve a scenario: range, widths, ledger, or the image of a crystal; save the run',
  details: [
    'Solves a scenario and prints where the beam stops, how wide it is, and where every proton and every MeV went. For a diffraction scenario it prints brightest pixel, sum and resolution of the image; for a small measured workload the checks and times of one variant. Ctrl+C ends the run within one step; the partial result is printed, saved and marked as partial.',
  ],
  flags: [
    {
      name: 'variant',
      value: 'ID|FILE',
      help: 'Variant that solves it; see braggbench variants. Or your own file: ./my.cu, ./my.cpp.',
    },
    setFlag('Change a value of the scenario, as in beam.energy_MeV=120.'),
    {
      name: 'out',
      value: 'RUN.h5',
      help: 'Save the run as HDF5: dose, curves, ledger, phase-space slices; or the image.',
    },
    forceFlag,
    {
      name: 'trace',
      help: 'Record GPU work and driver calls in the run, for export; this slows the run down. For a measured workload, every repetition of one sample is recorded after the timing.',
    },
    ...runFlags,
    gpuFlag,
    ...userKernelFlags,
    jsonFlag,
  ],
  examples: [
    'braggbench run water-70MeV',
    'braggbench run simple-cubic-1024 --out cubic.h5',
    'braggbench run mine.yaml --set beam.energy_MeV=120 --out mine.h5',
    'braggbench run water-150MeV --variant depth --json | jq .metrics.r80_mm',
    'braggbench run water-70MeV --variant ./my.cpp --trust',
    'braggbench run bone-slab-150MeV --uncertainty --vary density_percent=2',
  ],
  operands: { min: 1, max: 1, name: 'a scenario' },
  run: (context) => withHost((host) => performRun(context, host), flagValue(context.parsed, 'gpu')),
});
