/** Calls of the launch explorer. */
import { BraggError } from '../../../contract/errors.ts';
import type { KernelSet } from '../../../contract/launches.ts';
import { fromNative, type NativeAddon } from '../../io/addon/addon.ts';
import { kernelFolders } from '../../model/bench/ceilings.ts';
import { allKernelResources } from '../../model/bench/resources.ts';
import type { Benches } from '../benches/benches.ts';
import type { Handlers } from '../service/service.ts';

/** Resources in the newest recorded session of each workload that kept them. */
async function recordedSets(benches: Benches, workloadOf: (variant: string) => string | null): Promise<KernelSet[]> {
  const sets = new Map<string, { readonly created: string; readonly set: KernelSet }>();
  for (const { name, outline: session } of await benches.recorded()) {
    for (const { resources, entries } of session.reports) {
      const workload = workloadOf(entries[0]?.variant ?? '');
      if (resources === undefined || workload === null) continue;
      if ((sets.get(workload)?.created ?? '') >= session.created) continue;
      sets.set(workload, { created: session.created, set: { workload, ...resources, session: name } });
    }
  }
  return [...sets.values()].map(({ set }) => set);
}

export function launchHandlers({
  addon,
  benches,
}: {
  readonly addon: NativeAddon;
  readonly benches: Benches;
}): Pick<Handlers, Extract<keyof Handlers, `launch.${string}`>> {
  return {
    'launch.kernels': async () => {
      const built = await allKernelResources(kernelFolders().images);
      if (built.length > 0) return { sets: built, reason: null };
      const reason = 'The kernels were not compiled here: that takes nvcc, and npm run build.';
      // The first of a name counts.
      const workloads = new Map(
        addon
          .variants()
          .toReversed()
          .map(({ id, workload }) => [id, workload]),
      );
      return { sets: await recordedSets(benches, (id) => workloads.get(id) ?? null), reason };
    },
    'launch.driver': async ({ device, workload, kernel, threads, dynamic_bytes }) => {
      try {
        const [answer] = await addon.kernelOccupancy({
          ...kernelFolders(),
          device,
          workload,
          kernels: [kernel],
          threads,
          dynamic_bytes,
        });
        if (answer === undefined) throw new BraggError('internal', `The driver said nothing of ${kernel}.`);
        return answer;
      } catch (error) {
        throw fromNative(error);
      }
    },
  };
}
