/** `--factorial`: the variants that have a benchmark's optimisations one by one and together. */
import { BraggError } from '../../contract/errors.ts';
import type { Host } from '../../host/index.ts';
import { runnableDesigns } from '../../host/model/bench/factorial/designs.ts';
import { allVariants } from '../../host/workloads/index.ts';
import { hasFlag, listed, type ParsedArguments, UsageError } from '../arguments.ts';
import { assetsFolder } from '../assets-folder.ts';

interface BenchName {
  readonly workload: string;
  readonly bench: string;
}

const nameOf = ({ workload, bench }: BenchName): string => (bench === '' ? workload : `${workload}/${bench}`);

/** Labels of those that can run here, on a GPU where there is one; null without the flag. */
export async function factorialVariants(
  parsed: ParsedArguments,
  host: Host,
  place: BenchName,
): Promise<readonly string[] | null> {
  if (!hasFlag(parsed, 'factorial')) return null;
  if (listed(parsed, 'variants') !== null) {
    throw new UsageError('--factorial names variants of its own; leave --variants out');
  }
  const { known, able } = await runnableDesigns(assetsFolder(), place, allVariants(host.addon));
  // The CPU takes minutes for what a GPU is measured on.
  const gpu = able.filter(({ device }) => device === 'cuda');
  const chosen = gpu.length > 0 ? gpu : able;
  if (chosen.length > 0) return [...new Set(chosen.flatMap(({ labels }) => labels))];
  const here = known.filter((design) => nameOf(design) === nameOf(place));
  throw here.length === 0
    ? new BraggError(
        'invalid',
        `--factorial: no variants of ${nameOf(place)} are known to have its optimisations one by one; known of: ${[...new Set(known.map(nameOf))].join(', ')}`,
      )
    : new BraggError(
        'unsupported',
        `--factorial: of ${here.map(({ title }) => title).join('; ')} no two variants can run here that differ in one optimisation`,
      );
}
