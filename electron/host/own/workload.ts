/** What own variants need of a workload; each workload's folder has one, in its registry entry. */
import type { Variant } from '../../contract/capabilities.ts';
import type { OwnVerdict } from '../../contract/own-verdict.ts';
import type { NativeAddon } from '../addon.ts';
import type { AnyReading } from '../scenarios/index.ts';
import type { AnyRunData } from '../workloads/run-data.ts';
import type { OwnVariant } from './file.ts';
import type { OwnSession } from './session.ts';

/** A shipped variant that own ones are made from. */
export type OwnBase = Omit<Variant, 'precisions'>;

/** The own variants that the host knows. */
export interface KnownOwn {
  list(workload: string): readonly OwnVariant[];
  find(workload: string, id: string): OwnVariant | null;
  /** Its processes. */
  session(own: OwnVariant): OwnSession;
}

export interface OwnWorkload {
  /** As the engine lists them. */
  readonly bases: (addon: NativeAddon) => readonly OwnBase[];
  /** Of the files that a variant is written in, by their names, those that a copy may take the place of. */
  readonly replaceable: (name: string, device: Variant['device']) => boolean;
  /** Why none of a variant's files can be replaced, one sentence; null where one can. */
  readonly fixed: (base: OwnBase) => string | null;
  /** The engine's functions with own variants among its own. Others' calls go to `engine` as they come. */
  readonly among: (engine: NativeAddon, known: KnownOwn) => Partial<NativeAddon>;
  /**
   * Puts a run that an own variant has finished to the checks that ours are put to: runs it again, and the reference.
   * Null where it was stopped. Throws a BraggError.
   */
  readonly check: (
    addon: NativeAddon,
    reading: AnyReading,
    run: AnyRunData,
    signal?: AbortSignal,
  ) => Promise<OwnVerdict | null>;
}

/** What tells kernels from the rest: device code is compiled for the GPU, C++ for this processor. */
const usual = { cuda: /\.(cu|cuh)$/, cpu: /\.cpp$/ } as const;

export interface FileRules {
  /** What the engine makes before it makes a variant, or judges it by: replaced in a variant, it would be used by nobody. */
  readonly engine: readonly string[];
  /** Headers that only device code includes. */
  readonly deviceHeaders?: readonly string[];
}

export function replaceableBy({ engine, deviceHeaders = [] }: FileRules): OwnWorkload['replaceable'] {
  return (name, device) =>
    !engine.includes(name) && (usual[device].test(name) || (device === 'cuda' && deviceHeaders.includes(name)));
}

/** Kernels are replaced, and not the host's code around them. */
export function withoutKernels({ id, device, source, buildsOn }: OwnBase): string | null {
  if (device === 'cpu' || source.endsWith('.cu') || source.endsWith('.cuh')) return null;
  const differs = buildsOn === null ? 'is host code' : `differs from ${buildsOn} in host code`;
  return `${id} ${differs}; an own CUDA variant replaces kernels, and ${id} has none of its own.`;
}

/** `shipped` with the own ones made from them, which list as theirs does but for the names. */
export function withOwn<V extends OwnBase>(shipped: readonly V[], own: readonly OwnVariant[]): V[] {
  const mine = own.flatMap(({ id, description, base }) => {
    const from = shipped.find((one) => one.id === base.id && one.bench === base.bench);
    if (from === undefined) return [];
    const { title, changes, replaces } = description;
    return [{ ...from, id, title, changes: changes || `Own code for ${replaces}`, buildsOn: base.id, source: id }];
  });
  return [...shipped, ...mine];
}
