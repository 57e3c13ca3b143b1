/** The launch that the settings describe, with the available kernels and GPUs. The settings are saved per user. */
import { useEffect, useMemo, useState } from 'react';
import { z } from 'zod';
import type { StoreApi } from 'zustand/vanilla';
import type { DriverOccupancy, KernelResource, KernelSet } from '../../../electron/contract/launches.ts';
import { explainLaunch, type Launch, threadsAlongX } from '../../../electron/domain/launch/launch.ts';
import {
  architectureName,
  type LaunchedKernel,
  type LaunchLimits,
  launchLimitsOf,
  publishedLimits,
  publishedLimitsOf,
  withLoadedProperties,
} from '../../../electron/domain/launch/occupancy.ts';
import { reductionKinds } from '../../../electron/domain/launch/reduction.ts';
import { errorText } from '../../state/notices.ts';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';

/** Id of a kernel that is described by its resource numbers. */
export const USER_NUMBERS = 'own';

export const maxElements = 2 ** 40;
const along = z.number().int().min(1).max(maxElements);
const threads = z.number().int().min(1).max(4096);

const schema = z.strictObject({
  /**
   * Id such as `transport/dense_fill_f32`, or `own` for a kernel described by the two numbers below. If empty or
   * missing, the first kernel is used.
   */
  kernel: z.string().max(320),
  registers: z.number().int().min(1).max(255),
  shared_bytes: z
    .number()
    .int()
    .min(0)
    .max(2 ** 20),
  /** UUID of a device in this machine, or an architecture. If empty or missing, the first one is used. */
  gpu: z.string().max(64),
  elements: z.tuple([along, along, along]),
  /** Null if not chosen: the launch bound of the kernel applies. */
  block: z.tuple([threads, threads, threads]).nullable(),
  mapping: z.enum(['one-per-thread', 'grid-stride']),
  /** Null if the launch has as many blocks as can be resident on the GPU. */
  blocks: z.number().int().min(1).max(maxElements).nullable(),
  dynamic_bytes: z
    .number()
    .int()
    .min(0)
    .max(2 ** 20),
  /** Thread along x whose elements are marked. */
  thread: z.number().int().min(0).max(maxElements),
  reduction: z.enum(reductionKinds),
});
export type LaunchState = Readonly<z.infer<typeof schema>>;
export type LaunchStore = StoreApi<LaunchState>;

export function createLaunchStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): LaunchStore {
  const initial: LaunchState = {
    kernel: '',
    registers: 32,
    shared_bytes: 0,
    gpu: '',
    elements: [1_000_000, 1, 1],
    block: null,
    mapping: 'one-per-thread',
    blocks: null,
    dynamic_bytes: 0,
    thread: 0,
    reduction: 'sequential',
  };
  return createPersisted<LaunchState>({ storage, name: 'launch-explorer', version: 1, schema, initial, onReset });
}

export interface Kernels {
  readonly sets: readonly KernelSet[];
  readonly reason: string | null;
}

/** Null if the host has not responded yet. */
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
  /** UUID of a device in this machine, else its architecture, or the name of a further GPU with that architecture. */
  readonly id: string;
  readonly limits: LaunchLimits;
}

/**
 * GPUs with published limits that are not in this machine. The H200 comes first, because most recorded sessions are
 * from it.
 */
const elsewhere: readonly Gpu[] = publishedLimits
  .map((limits) => ({
    id: publishedLimitsOf(limits.architecture) === limits ? limits.architecture : limits.name,
    limits,
  }))
  .sort((a, b) => Number(b.limits.architecture === 'sm_90') - Number(a.limits.architecture === 'sm_90'));

export function useGpus(): readonly Gpu[] {
  const { stores } = useWorkbench();
  const devices = useSelected(stores.connection, (state) => state.capabilities.devices.cuda.devices);
  return useMemo(() => {
    const here = devices.filter(({ usable }) => usable).map((one) => ({ id: one.uuid, limits: launchLimitsOf(one) }));
    return [...here, ...elsewhere];
  }, [devices]);
}

/** A kernel with its id in the settings. */
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

export interface ExplainedLaunch {
  readonly gpu: Gpu;
  readonly choices: readonly KernelChoice[];
  /** Null if the kernel is entered as numbers. */
  readonly choice: KernelChoice | null;
  readonly kernel: LaunchedKernel;
  readonly launch: Launch;
  readonly block: readonly [number, number, number];
  /** Index inside the grid. */
  readonly thread: number;
}

/** Block of a kernel without a launch bound. */
const DEFAULT_THREADS = 256;

/** `preferred`: workload whose kernel is shown by default. */
export function explainSelection(
  config: LaunchState,
  sets: readonly KernelSet[],
  gpus: readonly Gpu[],
  preferred: string,
): ExplainedLaunch | null {
  const gpu = gpus.find(({ id }) => id === config.gpu) ?? gpus[0];
  if (gpu === undefined) return null;
  const choices = kernelsFor(sets, gpu.limits.architecture);
  const usual =
    choices.find(({ workload }) => workload === preferred) ??
    choices.find(({ workload }) => workload !== 'probe') ??
    choices[0] ??
    null;
  const choice = config.kernel === USER_NUMBERS ? null : (choices.find(({ id }) => id === config.kernel) ?? usual);
  const own = { registers: config.registers, shared_bytes: config.shared_bytes, barriers: 1 };
  const kernel: LaunchedKernel = choice === null ? own : choice.kernel;
  const { elements, mapping, blocks, dynamic_bytes } = config;
  // By default, use the block size that the kernel is launched with.
  const block = config.block ?? [choice?.kernel.max_threads ?? DEFAULT_THREADS, 1, 1];
  const launch = explainLaunch(kernel, gpu.limits, { elements, block, mapping, blocks, dynamic_bytes });
  const thread = Math.min(config.thread, threadsAlongX(launch) - 1);
  return { gpu, choices, choice, kernel, launch, block, thread };
}

/** Occupancy reported by the driver; null if the GPU is not in this machine, or the driver cannot answer. */
export function useDriverOccupancy(explained: ExplainedLaunch | null): DriverOccupancy | null {
  const { client } = useWorkbench();
  const [response, setResponse] = useState<{ readonly requestKey: string; readonly answer: DriverOccupancy } | null>(
    null,
  );
  const launch = explained?.launch;
  const choice = explained?.choice ?? null;
  const requestKey =
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
    if (requestKey === null) return;
    let current = true;
    client.call('launch.driver', JSON.parse(requestKey)).then(
      (answer) => current && setResponse({ requestKey, answer }),
      () => current && setResponse(null),
    );
    return () => {
      current = false;
    };
  }, [client, requestKey]);
  return response !== null && response.requestKey === requestKey ? response.answer : null;
}

/** The launch with the kernel's resources as loaded by the driver. */
export function withLoadedKernel(explained: ExplainedLaunch, response: DriverOccupancy | null): ExplainedLaunch {
  if (response === null) return explained;
  const kernel = withLoadedProperties(explained.kernel, response);
  return { ...explained, kernel, launch: explainLaunch(kernel, explained.gpu.limits, explained.launch.request) };
}
