/**
 * Groups points of a study by execution: many beams in a process, single runs in several processes, or one run alone.
 */
import { scenarioKindNames, valueAt } from '../../../../contract/scenario/index.ts';
import type { PlanHead, PlanLine } from '../../../../contract/study/index.ts';
import type { NativeAddon } from '../../../io/addon/addon.ts';
import { allVariants, hostWorkloads } from '../../../workloads/index.ts';
import type { Together } from '../../../workloads/workload.ts';
import { documentOf } from '../documents.ts';

/** `family`: beams that share a grid, in one process. */
type Manner = Together | 'family';

export interface PointGroup {
  readonly manner: Manner;
  readonly device: 'cpu' | 'cuda';
  readonly lines: readonly PlanLine[];
}

/** Resources of a machine for points. */
export interface Share {
  readonly cores: number;
  readonly memory_bytes: number;
  /** UUIDs of the GPUs that can be used. */
  readonly gpus: readonly string[];
}

/** A scenario without a known workload fails by itself, in its own process. */
export function togetherOf(document: unknown): Together {
  const kind = scenarioKindNames.find((name) => name === valueAt(document, ['kind']));
  return kind === undefined ? 'runs' : hostWorkloads[kind].together(document);
}

/** In the order of the plan within each. */
export function groupsOf(
  head: Pick<PlanHead, 'bases' | 'study'>,
  lines: readonly PlanLine[],
  addon: NativeAddon,
  { gpus }: Pick<Share, 'gpus'>,
  inFamily: (id: string) => boolean = () => false,
): readonly PointGroup[] {
  const devices = new Map(allVariants(addon).map(({ workload, id, device }) => [`${workload} ${id}`, device]));
  const groups = new Map<string, { readonly group: Omit<PointGroup, 'lines'>; readonly lines: PlanLine[] }>();
  const alone = head.study['timing'] === 'alone';
  for (const line of lines) {
    const document = documentOf(head.bases[line.base]?.document, line.settings);
    const at = (...path: readonly string[]): unknown => valueAt(document, path);
    const [kind, variant] = [at('kind'), at('solver', 'variant') ?? 'auto'];
    const known = devices.get(`${String(kind)} ${String(variant)}`);
    // `auto` chooses a GPU if there is one.
    const device = known ?? (variant === 'auto' && gpus.length > 0 ? 'cuda' : 'cpu');
    // Points whose times are compared run alone, even if several would fit.
    const manner: Manner = alone ? 'alone' : inFamily(line.id) ? 'family' : togetherOf(document);
    const key = `${manner} ${device}`;
    const found = groups.get(key) ?? { group: { manner, device }, lines: [] };
    groups.set(key, found);
    found.lines.push(line);
  }
  return [...groups.values()].map(({ group, lines: own }) => ({ ...group, lines: own }));
}

export interface Crew {
  /** One process for each: the GPU that it uses, or null. */
  readonly processes: readonly (string | null)[];
  readonly as: 'beams' | 'runs' | 'family';
  readonly slots: number;
  readonly threads: number | null;
  readonly memory_bytes: number;
}

/** On a GPU one beam takes its steps while others are set up and read back. */
const BEAMS_ON_A_GPU = 6;

/** Processes for a group, and each one's part of cores and memory. `state_bytes`: the most that a point may take. */
export function crewOf({ manner, device, lines }: PointGroup, share: Share, state_bytes: number | null): Crew {
  const { cores, memory_bytes, gpus } = share;
  if (manner === 'alone') {
    return { processes: [gpus[0] ?? null], as: 'runs', slots: 1, threads: cores, memory_bytes };
  }
  if (device === 'cuda' && gpus.length > 0) {
    const used = gpus.slice(0, Math.max(1, lines.length));
    const slots = manner === 'beams' ? BEAMS_ON_A_GPU : 1;
    const threads = Math.max(1, Math.floor(cores / used.length));
    return { processes: used, as: manner, slots, threads, memory_bytes: memory_bytes / used.length };
  }
  if (manner === 'family') {
    return { processes: [gpus[0] ?? null], as: 'family', slots: 1, threads: cores, memory_bytes };
  }
  if (manner === 'beams') {
    return {
      processes: [gpus[0] ?? null],
      as: 'beams',
      slots: Math.min(cores, lines.length),
      threads: 1,
      memory_bytes,
    };
  }
  const fitting = state_bytes === null || state_bytes <= 0 ? cores : Math.floor(memory_bytes / state_bytes);
  const count = Math.max(1, Math.min(cores, fitting, lines.length));
  return {
    processes: Array.from({ length: count }, () => gpus[0] ?? null),
    as: 'runs',
    slots: 1,
    threads: Math.max(1, Math.floor(cores / count)),
    memory_bytes: memory_bytes / count,
  };
}
