/** An image file is taken in to fit the crystal of the form to it. */
import { MOST_IMAGE_BYTES, measuredEndings } from '../../electron/contract/scenario/diffraction/refining.ts';
import type { RefineFeed } from '../data/refine-feed.ts';
import type { Stores } from './context.ts';

/** Whether a dropped file is one: those of runs are opened as runs. */
export const isImageFile = (name: string): boolean =>
  measuredEndings.some((ending) => name.toLowerCase().endsWith(ending)) && !/\.(h5|hdf5)$/i.test(name);

/** The first file, or a master with its data files. Raw numbers have the size of the form's detector, which a fit needs anyway. */
export async function takeImageFile(
  files: readonly File[],
  feed: RefineFeed,
  stores: Pick<Stores, 'scenario'>,
): Promise<void> {
  const file = files.find(({ name }) => /master/i.test(name)) ?? files[0];
  if (file === undefined) return;
  const large = files.find(({ size }) => size > MOST_IMAGE_BYTES);
  if (large !== undefined) {
    const most = `${MOST_IMAGE_BYTES / 2 ** 20} MiB; larger ones are for braggbench refine`;
    feed.refuse(`${large.name} has ${large.size} bytes; allowed: at most ${most}`);
    return;
  }
  const named = async (one: File) => ({ name: one.name, bytes: new Uint8Array(await one.arrayBuffer()) });
  await feed.take(file.name, async () => ({
    ...{ kind: 'file', ...(await named(file)) },
    linked: await Promise.all(files.filter((one) => one !== file).map(named)),
    size: sizeIn(stores),
  }));
}

function sizeIn({ scenario }: Pick<Stores, 'scenario'>): [number, number] {
  const { lastResolved: resolved } = scenario.getState();
  return resolved !== null && 'width' in resolved ? [resolved.width, resolved.height] : [1, 1];
}
