/** An image file is taken in to fit the crystal of the form to it. */
import { MOST_IMAGE_BYTES, measuredEndings } from '../../electron/contract/scenario/diffraction/refining.ts';
import type { RefineFeed } from '../data/refine-feed.ts';
import type { Stores } from './context.ts';

/** Whether a dropped file is one: those of runs are opened as runs. */
export const isImageFile = (name: string): boolean =>
  measuredEndings.some((ending) => name.toLowerCase().endsWith(ending)) && !/\.(h5|hdf5)$/i.test(name);

/** Raw numbers have the size of the form's detector, which a fit has to have anyway. */
export async function takeImageFile(file: File, feed: RefineFeed, stores: Pick<Stores, 'scenario'>): Promise<void> {
  if (file.size > MOST_IMAGE_BYTES) {
    const most = `${MOST_IMAGE_BYTES / 2 ** 20} MiB; larger ones are for braggbench refine`;
    feed.refuse(`${file.name} has ${file.size} bytes; allowed: at most ${most}`);
    return;
  }
  const { lastResolved: resolved } = stores.scenario.getState();
  await feed.take(file.name, async () => ({
    ...{ kind: 'file', name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) },
    size: resolved !== null && 'width' in resolved ? [resolved.width, resolved.height] : [1, 1],
  }));
}
