/**
 * Variants with different values of their constants. They are user kernels that are generated from the source of a
 * shipped variant or of a user kernel.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import { type ConfiguredVariant, configuredName, splitFmad } from '../../../contract/tuning/configured.ts';
import type { UserKernelDescription } from '../../../contract/user-kernels.ts';
import type { KernelFolders } from '../../io/addon/addon.ts';
import { pathOutsideArchive } from '../../io/programs.ts';
import { readConstants, replaceConstants } from '../../model/tuning/constants.ts';
import { completeConfiguration, type ShippedSpace, type Space } from '../../model/tuning/space.ts';
import { kernelHash, type UserKernel } from '../../model/user-kernels/file.ts';
import type { UserKernelBase } from '../../model/user-kernels/problem-folder.ts';

/**
 * Workload and benchmark of a variant. They are needed, because several benchmarks may have variants with equal ids.
 */
type VariantScope = Pick<UserKernelBase, 'workload' | 'bench'>;

export interface ConfiguredParts {
  readonly bases: readonly UserKernelBase[];
  readonly shipped: readonly ShippedSpace[];
  readonly folders: KernelFolders;
  /** Finds an opened user kernel by its id. */
  readonly find: (id: string) => UserKernel | null;
}

/** Search space of a variant, and the source that its configurations are generated from. */
export interface SpaceSource {
  readonly space: Space;
  readonly text: string;
  /** Description of the generated kernels, without title and changes. */
  readonly description: Omit<UserKernelDescription, 'title' | 'changes'>;
  readonly base: UserKernelBase;
  /** User kernel whose trust extends to the configurations. Null for a shipped variant. */
  readonly from: UserKernel | null;
}

function userSpaceSource(kernel: UserKernel): SpaceSource {
  const { id, file, expandedText, description, base } = kernel;
  const { tunables, conditions } = description;
  const usual = readConstants(
    expandedText,
    tunables.map(({ name }) => name),
    id,
  );
  return {
    space: { variant: id, file, tunables, conditions, usual },
    text: expandedText,
    description,
    base,
    from: kernel,
  };
}

async function shippedSpaceSource(
  base: UserKernelBase,
  shipped: ShippedSpace,
  folders: KernelFolders,
): Promise<SpaceSource> {
  const { workload, bench, file, tunables, conditions } = shipped;
  const place = path.join(pathOutsideArchive(folders.sources), path.posix.relative('kernels', file));
  const text = await readFile(place, 'utf8').catch(() => {
    throw new BraggError('not-found', `${place} cannot be read: it contains the tunables of ${base.id}.`);
  });
  const usual = readConstants(
    text,
    tunables.map(({ name }) => name),
    file,
  );
  const described = {
    kind: 'variant',
    version: 1,
    workload,
    bench,
    base: base.id,
    replaces: file,
    compile: {},
  } as const;
  const space = { variant: base.id, file, tunables, conditions, usual };
  return { space, text, description: { ...described, tunables: [], conditions: [] }, base, from: null };
}

/**
 * Returns the search space of a variant. Null if it has no tunables. Throws BraggError if they do not fit its source.
 */
export async function spaceOf(
  variant: string,
  place: VariantScope,
  parts: ConfiguredParts,
): Promise<SpaceSource | null> {
  const { workload, bench } = place;
  const own = parts.find(variant);
  if (own !== null) return own.description.tunables.length === 0 ? null : userSpaceSource(own);
  const isInScope = <T extends VariantScope>(one: T): boolean => one.workload === workload && one.bench === bench;
  const base = parts.bases.find((one) => one.id === variant && isInScope(one));
  const shipped = parts.shipped.find((one) => isInScope(one) && one.variants.includes(variant));
  return base === undefined || shipped === undefined ? null : shippedSpaceSource(base, shipped, parts.folders);
}

/**
 * Generates the user kernel of a configuration. Throws BraggError `invalid` if the space does not allow the
 * configuration.
 */
export function configuredKernel(source: SpaceSource, { variant, configuration }: ConfiguredVariant): UserKernel {
  const { space, text, description, base, from } = source;
  const option = splitFmad(configuration, space.tunables);
  if (option === null) throw new BraggError('invalid', `${variant}: fmad = ${configuration['fmad']}; allowed: 0, 1`);
  const { constants, fmad } = option;
  const whole = completeConfiguration(space, constants);
  // If no constants are set, leave the text unchanged, because some constants have another default for newer GPUs.
  const changed = Object.keys(constants).length === 0 ? text : replaceConstants(text, whole, space.file);
  const changes = Object.entries(configuration)
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ');
  const compile = { ...description.compile, ...(fmad !== undefined && { fmad }) };
  const described = { ...description, compile, tunables: [], title: from?.description.title ?? base.title, changes };
  return {
    id: configuredName({ variant, configuration }),
    file: space.file,
    text: changed,
    expandedText: changed,
    referenceProgram: from?.referenceProgram ?? null,
    includeErrors: from?.includeErrors ?? [],
    description: described,
    base,
    ...(from?.candidate !== undefined && { candidate: from.candidate }),
    sha256: kernelHash(changed, JSON.stringify([described, from?.candidate])),
  };
}
