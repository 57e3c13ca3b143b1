/** Warnings about the numbers of a CT and the files that they come from. */
import { type Fault, warning } from '../../../../../contract/scenario/index.ts';
import { formatNumber } from '../../../../../contract/units.ts';
import { huRange } from '../../../../model/matter/hu-table.ts';
import type { PlacedCt } from './placed-ct.ts';

/** Pixels that the table does not reach are taken as its ends: padding as air, metal as the densest bone. */
export function warnOfHu({ slice, table, beyond: { below, above, least, most } }: PlacedCt): readonly Fault[] {
  const [lowest, highest] = huRange(table);
  const say = (count: number, end: number, which: string, extreme: number): Fault =>
    warning(
      ['geometry', 'ct', 'hu_table'],
      'HU table',
      `${count} pixels lie ${which} ${formatNumber(end)} HU, where the table ${which === 'below' ? 'begins' : 'ends'} ` +
        `(${which === 'below' ? 'lowest' : 'highest'} ${formatNumber(Number(extreme.toPrecision(6)))}): they are taken as what stands there`,
    );
  return [
    ...slice.notes.map((note) => warning(['geometry', 'ct', 'file'], 'CT', note.replace(/\.$/, ''))),
    ...(below > 0 ? [say(below, lowest, 'below', least)] : []),
    ...(above > 0 ? [say(above, highest, 'above', most)] : []),
  ];
}
