/**
 * Imports files of measured data: a depth dose, whose issues are reported by line, or an image that the crystal in the
 * scenario form is fitted to.
 */

import { imageFileExtensions, MAX_IMAGE_BYTES } from '../../../electron/contract/scenario/diffraction/refining.ts';
import { readCurveCsv } from '../../../electron/domain/dose/curve-csv.ts';
import { decodeTableText, UNDECODABLE_TEXT } from '../../../electron/domain/values/csv.ts';
import { MAX_OVERLAYS, type Overlays } from '../../data/overlays.ts';
import type { RefineFeed } from '../../data/refine-feed.ts';
import type { NoticesStore } from '../../state/notices.ts';
import type { Stores } from './context.ts';

const LARGEST_BYTES = 16 * 2 ** 20;
/** Maximum number of issues in a notice. */
const MAX_SHOWN_ISSUES = 3;

export async function openCurve(
  file: Pick<File, 'name' | 'size' | 'arrayBuffer'>,
  overlays: Overlays,
  notices: NoticesStore,
): Promise<void> {
  const rejectFile = (text: string): void => {
    notices.show({ tone: 'warning', title: `${file.name} could not be read`, text });
  };
  if (file.size > LARGEST_BYTES) {
    rejectFile(`It has ${file.size} bytes; allowed: at most ${LARGEST_BYTES}.`);
    return;
  }
  const text = decodeTableText(new Uint8Array(await file.arrayBuffer()));
  if (text === null) {
    rejectFile(`It is ${UNDECODABLE_TEXT}.`);
    return;
  }
  const reading = readCurveCsv(text, 'asked');
  if (!reading.ok) {
    const shownMessages = reading.faults
      .slice(0, MAX_SHOWN_ISSUES)
      .map(({ line, message }) => `${file.name}:${line}: ${message}.`);
    const more = reading.faults.length - shownMessages.length;
    rejectFile([...shownMessages, ...(more > 0 ? [`And ${more} more.`] : [])].join(' '));
    return;
  }
  if (overlays.addFile(file.name, reading.curve)) {
    const { notes } = reading.curve;
    const text = notes.length === 0 ? {} : { text: `${notes.join('. ')}.` };
    notices.show({ tone: 'success', title: `Overlaid ${file.name}`, ...text });
  } else rejectFile(`The depth dose already has ${MAX_OVERLAYS} overlaid curves; remove one first.`);
}

/** Whether a dropped file is an image file; files of runs are opened as runs. */
export const isImageFile = (name: string): boolean =>
  imageFileExtensions.some((ending) => name.toLowerCase().endsWith(ending)) && !/\.(h5|hdf5)$/i.test(name);

/**
 * Imports the first file, or a master file with its data files. Raw numbers are read with the size of the form's
 * detector, because they contain none and a fit needs that detector anyway.
 */
export async function importImageFile(
  files: readonly File[],
  feed: RefineFeed,
  stores: Pick<Stores, 'scenario'>,
): Promise<void> {
  const file = files.find(({ name }) => /master/i.test(name)) ?? files[0];
  if (file === undefined) return;
  const large = files.find(({ size }) => size > MAX_IMAGE_BYTES);
  if (large !== undefined) {
    const most = `${MAX_IMAGE_BYTES / 2 ** 20} MiB; use braggbench refine for larger ones`;
    feed.rejectImage(`${large.name} has ${large.size} bytes; allowed: at most ${most}`);
    return;
  }
  const named = async (one: File) => ({ name: one.name, bytes: new Uint8Array(await one.arrayBuffer()) });
  await feed.openImage(file.name, async () => ({
    ...{ kind: 'file', ...(await named(file)) },
    linked: await Promise.all(files.filter((one) => one !== file).map(named)),
    size: sizeIn(stores),
  }));
}

function sizeIn({ scenario }: Pick<Stores, 'scenario'>): [number, number] {
  const { lastResolved: resolved } = scenario.getState();
  return resolved !== null && 'width' in resolved ? [resolved.width, resolved.height] : [1, 1];
}
