/** What a benchmark of tasks is told of the machine and of what is claimed, whoever starts it. */
import type { NativeAddon } from '../../io/addon/addon.ts';
import type { TaskProblem } from '../../io/addon/task.ts';
import { devicesWithCeilings, readTaskClaims, recordedFacts, sessionGpus } from '../../model/bench/index.ts';
import type { TaskBenchOptions } from './bench.ts';

/** The kernels of a workload lie in the folder of its name, with underscores. */
const kernelsOf = (workload: string): string => workload.replaceAll('-', '_');

/** `warn` hears why there are no ceilings. */
export async function taskSurroundings(
  addon: NativeAddon,
  problem: TaskProblem,
  assetsFolder: string,
  document: Readonly<Record<string, unknown>> | null,
  warn: (reason: string) => void,
): Promise<Required<Pick<TaskBenchOptions, 'gpus' | 'claims' | 'recorded'>>> {
  const devices = await devicesWithCeilings(addon, warn);
  return {
    gpus: sessionGpus(devices),
    claims: await readTaskClaims(assetsFolder, problem),
    recorded: {
      ...(await recordedFacts(assetsFolder, devices, kernelsOf(problem.workload))),
      ...(document === null ? {} : { document }),
    },
  };
}
