/** The launch that the settings mean, with the kernels and GPUs that there are. */
import { useEffect, useMemo, useState } from 'react';
import { explainLaunch, type Launch } from '../../../electron/contract/launch/launch.ts';
import {
  architectureName,
  type LaunchLimits,
  limitsOf,
  publishedFor,
  publishedLimits,
} from '../../../electron/contract/launch/limits.ts';
import { threadsAlongX } from '../../../electron/contract/launch/mapping.ts';
import { asLoaded, type LaunchedKernel } from '../../../electron/contract/launch/occupancy.ts';
import type { DriverOccupancy, KernelSet } from '../../../electron/contract/launches.ts';
import type { KernelResource } from '../../../electron/contract/resources.ts';
import { errorText } from '../../state/notices.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { type LaunchState, OWN_NUMBERS } from './store.ts';

export interface Kernels {
  readonly sets: readonly KernelSet[];
  readonly reason: string | null;
}

/** Null if the host has not answered yet. */
export function useKernels(): Kernels | null {
  const { client } = useWorkbench();
  const [kernels, setKernels] = useState<Kernels | null>(null);
  useEffect(() => {
    let current = true;
    client.call('launch.kernels', {}).then(
      (answer) => current && setKernels(answer),
      (error: unknown) => current && setKernels({ sets: [], reason: errorText(error) }),
    );
    return () => {
      current = false;
    };
  }, [client]);
  return kernels;
}

export interface Gpu {
  /** UUID of a device that is here, else its architecture; the name of a further GPU of one. */
  readonly id: string;
  readonly limits: LaunchLimits;
}

/** Most of the recorded sessions are of an H200: it comes first of those that are not here. */
const elsewhere: readonly Gpu[] = publishedLimits
  .map((limits) => ({ id: publishedFor(limits.architecture) === limits ? limits.architecture : limits.name, limits }))
  .sort((a, b) => Number(b.limits.architecture === 'sm_90') - Number(a.limits.architecture === 'sm_90'));

export function useGpus(): readonly Gpu[] {
  const { stores } = useWorkbench();
  const devices = useSelected(stores.connection, (state) => state.capabilities.devices.cuda.devices);
  return useMemo(() => {
    const here = devices.filter(({ usable }) => usable).map((one) => ({ id: one.uuid, limits: limitsOf(one) }));
    return [...here, ...elsewhere];
  }, [devices]);
}

/** As settings name it. */
interface KernelChoice {
  readonly id: string;
  readonly workload: string;
  readonly kernel: KernelResource;
}

function kernelsFor(sets: readonly KernelSet[], architecture: string): readonly KernelChoice[] {
  return sets.flatMap(({ workload, kernels }) =>
    kernels
      .filter((kernel) => architectureName(kernel.architecture) === architecture)
      .map((kernel) => ({ id: `${workload}/${kernel.name}`, workload, kernel })),
  );
}

export interface Explained {
  readonly gpu: Gpu;
  readonly choices: readonly KernelChoice[];
  /** Null if the kernel is entered as numbers. */
  readonly choice: KernelChoice | null;
  readonly kernel: LaunchedKernel;
  readonly launch: Launch;
  readonly block: readonly [number, number, number];
  /** Within the grid. */
  readonly thread: number;
}

/** Block of a kernel without a launch bound. */
const USUAL_THREADS = 256;

/** `preferred`: workload whose kernel is shown until one is chosen. */
export function explain(
  config: LaunchState,
  sets: readonly KernelSet[],
  gpus: readonly Gpu[],
  preferred: string,
): Explained | null {
  const gpu = gpus.find(({ id }) => id === config.gpu) ?? gpus[0];
  if (gpu === undefined) return null;
  const choices = kernelsFor(sets, gpu.limits.architecture);
  const usual =
    choices.find(({ workload }) => workload === preferred) ??
    choices.find(({ workload }) => workload !== 'probe') ??
    choices[0] ??
    null;
  const choice = config.kernel === OWN_NUMBERS ? null : (choices.find(({ id }) => id === config.kernel) ?? usual);
  const own = { registers: config.registers, shared_bytes: config.shared_bytes, barriers: 1 };
  const kernel: LaunchedKernel = choice === null ? own : choice.kernel;
  const { elements, mapping, blocks, dynamic_bytes } = config;
  // A kernel is shown as it is launched.
  const block = config.block ?? [choice?.kernel.max_threads ?? USUAL_THREADS, 1, 1];
  const launch = explainLaunch(kernel, gpu.limits, { elements, block, mapping, blocks, dynamic_bytes });
  const thread = Math.min(config.thread, threadsAlongX(launch) - 1);
  return { gpu, choices, choice, kernel, launch, block, thread };
}

/** Occupancy reported by the driver; null if the GPU is not in this machine, or the driver cannot answer. */
export function useDriver(explained: Explained | null): DriverOccupancy | null {
  const { client } = useWorkbench();
  const [said, setSaid] = useState<{ readonly asked: string; readonly answer: DriverOccupancy } | null>(null);
  const launch = explained?.launch;
  const choice = explained?.choice ?? null;
  const asked =
    explained === null || choice === null || launch === undefined || explained.gpu.limits.origin !== 'driver'
      ? null
      : JSON.stringify({
          device: explained.gpu.id,
          workload: choice.workload,
          kernel: choice.kernel.name,
          threads: [Math.min(1024, launch.threadsPerBlock)],
          dynamic_bytes: launch.request.dynamic_bytes,
        });
  useEffect(() => {
    if (asked === null) return;
    let current = true;
    client.call('launch.driver', JSON.parse(asked)).then(
      (answer) => current && setSaid({ asked, answer }),
      () => current && setSaid(null),
    );
    return () => {
      current = false;
    };
  }, [client, asked]);
  return said !== null && said.asked === asked ? said.answer : null;
}

/** With the kernel as the driver has loaded it. */
export function loadedBy(explained: Explained, said: DriverOccupancy | null): Explained {
  if (said === null) return explained;
  const kernel = asLoaded(explained.kernel, said);
  return { ...explained, kernel, launch: explainLaunch(kernel, explained.gpu.limits, explained.launch.request) };
}
