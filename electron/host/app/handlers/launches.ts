/** Calls of the launch explorer. */
import { BraggError } from '../../../contract/errors.ts';
import type { KernelSet } from '../../../contract/launches.ts';
import { fromNative, type NativeAddon } from '../../io/addon/addon.ts';
import { kernelFolders } from '../../model/bench/ceilings.ts';
import { allKernelResources } from '../../model/bench/resources.ts';
import type { Benches } from '../benches/benches.ts';
import type { Handlers } from '../service/service.ts';

/** Kernels in the recorded sessions of each workload, by the compiler of the newest one; each as in its newest session. */
async function recordedSets(benches: Benches, workloadOf: (variant: string) => string | null): Promise<KernelSet[]> {
  const sets = new Map<string, KernelSet>();
  const newestFirst = [...(await benches.recorded())].sort((a, b) =>
    a.outline.created < b.outline.created ? 1 : a.outline.created > b.outline.created ? -1 : 0,
  );
  for (const { name, outline: session } of newestFirst) {
    for (const { resources, entries } of session.reports) {
      const workload = workloadOf(entries[0]?.variant ?? '');
      if (resources === undefined || workload === null) continue;
      const set = sets.get(workload) ?? { workload, compiler: resources.compiler, kernels: [], session: name };
      if (set.compiler !== resources.compiler) continue;
      const known = new Set(set.kernels.map((kernel) => `${kernel.name} ${kernel.architecture}`));
      const more = resources.kernels.filter((kernel) => !known.has(`${kernel.name} ${kernel.architecture}`));
      sets.set(workload, { ...set, kernels: [...set.kernels, ...more] });
    }
  }
  return [...sets.values()];
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
