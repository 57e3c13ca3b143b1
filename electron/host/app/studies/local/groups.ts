/**
 * Groups the points of a study by how they are executed: many beams in one process, single runs in several processes,
 * or one run alone.
 *
 * Also groups beams that can share a grid into families. The grid fits all planned beams of a family, including those
 * already solved.
 */
import { scenarioKindNames, valueAt } from '../../../../contract/scenario/index.ts';
import type { PlanHead, PlanLine } from '../../../../contract/study/index.ts';
import type { NativeAddon } from '../../../io/addon/addon.ts';
import { allVariants, hostWorkloads } from '../../../workloads/index.ts';
import { familyOf } from '../../../workloads/transport/one-grid.ts';
import type { Concurrency } from '../../../workloads/workload.ts';
import { documentOf } from '../results.ts';

/** Way of executing points. `family`: beams that share a grid are solved in one process. */
type GroupConcurrency = Concurrency | 'family';

export interface PointGroup {
  readonly manner: GroupConcurrency;
  readonly device: 'cpu' | 'cuda';
  readonly lines: readonly PlanLine[];
}

/** Resources of a machine that a study may use. */
export interface Share {
  readonly cores: number;
  readonly memory_bytes: number;
  /** UUIDs of the usable GPUs. */
  readonly gpus: readonly string[];
}

/** A scenario of an unknown workload runs in its own process, where it fails with a message. */
function concurrencyOf(document: unknown): Concurrency {
  const kind = scenarioKindNames.find((name) => name === valueAt(document, ['kind']));
  return kind === undefined ? 'runs' : hostWorkloads[kind].concurrency(document);
}

/** Groups lines by execution and device. The lines of a group are in the order of the plan. */
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
    // `auto` selects a GPU if there is one.
    const device = known ?? (variant === 'auto' && gpus.length > 0 ? 'cuda' : 'cpu');
    // Points run alone if their times are compared, even if the machine could run several.
    const manner: GroupConcurrency = alone ? 'alone' : inFamily(line.id) ? 'family' : concurrencyOf(document);
    const key = `${manner} ${device}`;
    const found = groups.get(key) ?? { group: { manner, device }, lines: [] };
    groups.set(key, found);
    found.lines.push(line);
  }
  return [...groups.values()].map(({ group, lines: own }) => ({ ...group, lines: own }));
}

export interface WorkerLayout {
  /** UUID of the GPU of each process, or null. */
  readonly processes: readonly (string | null)[];
  readonly mode: 'beams' | 'runs' | 'family';
  readonly slots: number;
  readonly threads: number | null;
  readonly memory_bytes: number;
}

/** Number of beams in progress on a GPU: while one is solved, others are set up or read back. */
const BEAMS_ON_A_GPU = 6;

/** Determines the processes for a group, and cores and memory of each. `state_bytes`: largest state of a point. */
export function workerLayoutOf(
  { manner, device, lines }: PointGroup,
  share: Share,
  state_bytes: number | null,
): WorkerLayout {
  const { cores, memory_bytes, gpus } = share;
  if (manner === 'alone') {
    return { processes: [gpus[0] ?? null], mode: 'runs', slots: 1, threads: cores, memory_bytes };
  }
  if (device === 'cuda' && gpus.length > 0) {
    const used = gpus.slice(0, Math.max(1, lines.length));
    const slots = manner === 'beams' ? BEAMS_ON_A_GPU : 1;
    const threads = Math.max(1, Math.floor(cores / used.length));
    return { processes: used, mode: manner, slots, threads, memory_bytes: memory_bytes / used.length };
  }
  if (manner === 'family') {
    return { processes: [gpus[0] ?? null], mode: 'family', slots: 1, threads: cores, memory_bytes };
  }
  if (manner === 'beams') {
    return {
      processes: [gpus[0] ?? null],
      mode: 'beams',
      slots: Math.min(cores, lines.length),
      threads: 1,
      memory_bytes,
    };
  }
  const fitting = state_bytes === null || state_bytes <= 0 ? cores : Math.floor(memory_bytes / state_bytes);
  const count = Math.max(1, Math.min(cores, fitting, lines.length));
  return {
    processes: Array.from({ length: count }, () => gpus[0] ?? null),
    mode: 'runs',
    slots: 1,
    threads: Math.max(1, Math.floor(cores / count)),
    memory_bytes: memory_bytes / count,
  };
}

/** Maximum number of beams in a family. It is limited because an interruption discards all of them. */
const MAX_BEAMS = 500;

/** Returns the family of each line that has one. `lines`: all lines of the plan. */
export function familiesOf(
  head: Pick<PlanHead, 'bases' | 'study'>,
  lines: readonly PlanLine[],
): ReadonlyMap<string, readonly PlanLine[]> {
  const families = new Map<string, readonly PlanLine[]>();
  if (head.study['grids'] !== 'shared') return families;
  const filling = new Map<string, PlanLine[]>();
  for (const line of lines) {
    const document = documentOf(head.bases[line.base]?.document, line.settings);
    const alike = concurrencyOf(document) === 'beams' ? familyOf(document) : null;
    if (alike === null) continue;
    const key = `${line.base} ${alike}`;
    const found = filling.get(key);
    const family = found === undefined || found.length >= MAX_BEAMS ? [] : found;
    family.push(line);
    filling.set(key, family);
    families.set(line.id, family);
  }
  return families;
}

/** Groups the lines by family. Families are in the order of their first lines. */
export function groupByFamily(
  lines: readonly PlanLine[],
  families: ReadonlyMap<string, readonly PlanLine[]>,
): readonly (readonly PlanLine[])[] {
  const parcels = new Map<unknown, PlanLine[]>();
  for (const line of lines) {
    const family = families.get(line.id);
    const parcel = parcels.get(family) ?? [];
    parcel.push(line);
    parcels.set(family, parcel);
  }
  return [...parcels.values()];
}
