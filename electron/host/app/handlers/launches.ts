/** Handles the calls of the launch explorer. */
import { BraggError } from '../../../contract/errors.ts';
import type { Code, KernelSet } from '../../../contract/launches.ts';
import { errorFromNative, type NativeAddon } from '../../io/addon/addon.ts';
import { kernelFolders } from '../../model/bench/machine.ts';
import { readAllKernelResources, readKernelResources } from '../../model/bench/session-file.ts';
import { kernelsNamedIn, readVariantSources, workloadFolder } from '../../model/bench/sources.ts';
import { readSourcePage } from '../../model/counters/source-page.ts';
import { readShippedCode } from '../../model/machine-code/index.ts';
import { allVariants } from '../../workloads/index.ts';
import type { Benches } from '../benches/benches.ts';
import type { HandlerParams, Handlers } from '../service/service.ts';
import type { UserKernels } from '../user-kernels/user-kernels.ts';

/**
 * Kernels in the recorded sessions of each workload. Only sessions with the compiler of the newest one count. Each
 * kernel comes from the newest session that contains it.
 */
async function recordedKernelSets(
  benches: Benches,
  workloadOf: (variant: string) => string | null,
): Promise<KernelSet[]> {
  const sets = new Map<string, KernelSet>();
  const newestFirst = [...(await benches.recorded())].sort((a, b) =>
    a.outline.created < b.outline.created ? 1 : a.outline.created > b.outline.created ? -1 : 0,
  );
  for (const { name, outline } of newestFirst) {
    for (const { resources, entries } of outline.reports) {
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

/** Number of words that a kernel's name and a variant's id share. If equal, the shorter kernel name ranks higher. */
function countCommonWords(kernel: string, id: string): number {
  const words = new Set(kernel.split('_'));
  return id.split('-').filter((word) => words.has(word)).length - kernel.length / 1000;
}

async function codeOf(
  { addon, userKernels }: LaunchParts,
  { subject, architecture, language }: HandlerParams<'launch.code'>,
  signal: AbortSignal,
): Promise<Code> {
  const request = { architecture, language, signal };
  if (subject.kind === 'kernel') return readShippedCode(kernelFolders(), { ...request, ...subject, among: null });
  const { variant: id, workload, bench, kernel } = subject;
  const mine = userKernels.find(id);
  if (mine !== null) return userKernels.code(mine, { ...request, kernel });
  const variant = allVariants(addon).find((one) => one.id === id && one.workload === workload && one.bench === bench);
  if (variant === undefined) throw new BraggError('not-found', `The variant ${JSON.stringify(id)} does not exist.`);
  if (variant.device === 'cpu') throw new BraggError('unsupported', `${id} runs on the CPU and launches no kernels.`);
  const { images, sources } = kernelFolders();
  const folder = workloadFolder(variant);
  const known = await readKernelResources(images, folder);
  const own = known === null ? null : kernelsNamedIn(await readVariantSources(sources, variant), known);
  const names = [...new Set(own?.kernels.map(({ name }) => name))];
  const among = own === null ? null : names.sort((a, b) => countCommonWords(b, id) - countCommonWords(a, id));
  return readShippedCode(kernelFolders(), { ...request, workload: folder, kernel, among });
}

interface LaunchParts {
  readonly addon: NativeAddon;
  readonly benches: Benches;
  readonly userKernels: UserKernels;
}

export function launchHandlers(parts: LaunchParts): Pick<Handlers, Extract<keyof Handlers, `launch.${string}`>> {
  const { addon, benches } = parts;
  return {
    'launch.code': (request, signal) => codeOf(parts, request, signal),
    'launch.hot': async ({ name, text }) => ({ kernels: [...readSourcePage(text, name)] }),
    'launch.kernels': async () => {
      const built = await readAllKernelResources(kernelFolders().images);
      if (built.length > 0) return { sets: built, reason: null };
      const reason = 'The kernels were not compiled on this machine: install nvcc, then run npm run build.';
      // If several variants have the same id, the first one counts.
      const workloads = new Map(
        addon
          .variants()
          .toReversed()
          .map(({ id, workload }) => [id, workload]),
      );
      return { sets: await recordedKernelSets(benches, (id) => workloads.get(id) ?? null), reason };
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
        if (answer === undefined) throw new BraggError('internal', `The driver reported nothing about ${kernel}.`);
        return answer;
      } catch (error) {
        throw errorFromNative(error);
      }
    },
  };
}
