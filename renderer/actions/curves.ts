/** Takes in a depth dose from a file of the reader's, or says line by line what is wrong with it. */
import { readCurveCsv } from '../../electron/contract/dose/curve-csv.ts';
import { MOST_OVERLAYS, type Overlays } from '../data/overlays.ts';
import type { NoticesStore } from '../state/notices.ts';

const LARGEST_BYTES = 16 * 2 ** 20;
/** Number of issues that fit into a notice. */
const SHOWN_FAULTS = 3;

export async function openCurve(
  file: Pick<File, 'name' | 'size' | 'text'>,
  overlays: Overlays,
  notices: NoticesStore,
): Promise<void> {
  const refuse = (text: string): void => {
    notices.tell({ tone: 'warning', title: `${file.name} was not read`, text });
  };
  if (file.size > LARGEST_BYTES) {
    refuse(`It has ${file.size} bytes; allowed: at most ${LARGEST_BYTES}.`);
    return;
  }
  const reading = readCurveCsv(await file.text(), 'asked');
  if (!reading.ok) {
    const told = reading.faults.slice(0, SHOWN_FAULTS).map(({ line, message }) => `${file.name}:${line}: ${message}.`);
    const more = reading.faults.length - told.length;
    refuse([...told, ...(more > 0 ? [`And ${more} more.`] : [])].join(' '));
    return;
  }
  if (overlays.addFile(file.name, reading.curve)) {
    notices.tell({ tone: 'success', title: `Overlaid ${file.name}` });
  } else refuse(`There are ${MOST_OVERLAYS} curves over the depth dose already; remove one first.`);
}
