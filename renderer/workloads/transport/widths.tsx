/** Beam widths of the proton fluence at a few depths and at the crosshair. */
import type { ReactElement } from 'react';
import type { Moments } from '../../../electron/contract/run.ts';
import { fixedDigits } from '../../../electron/domain/numbers.ts';
import { shownCrosshair } from '../../state/selection.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';

/** Value of a column at the plane nearest to `depth_mm`; null if no plane is within one plane spacing. */
export function valueAtDepth(depths: ArrayLike<number>, values: ArrayLike<number>, depth_mm: number): number | null {
  let distance = Math.abs((depths[1] ?? Number.POSITIVE_INFINITY) - (depths[0] ?? 0));
  let best: number | null = null;
  for (let i = 0; i < depths.length; i += 1) {
    const away = Math.abs((depths[i] ?? 0) - depth_mm);
    if (away > distance) continue;
    distance = away;
    best = values[i] ?? null;
  }
  return best !== null && Number.isFinite(best) ? best : null;
}

interface Row {
  readonly key: string;
  readonly name: string;
  readonly depth_mm: number;
}

export interface WidthsProps {
  readonly moments: Moments;
  /** Depths (z) at 0.5 and 0.9 of R80 along the beam; null if there is no range. */
  readonly depths_mm: Readonly<Record<'half' | 'near', number>> | null;
}

export function Widths({ moments, depths_mm }: WidthsProps): ReactElement | null {
  const { stores } = useWorkbench();
  const z = useSelected(stores.selection, (state) => shownCrosshair(state)?.z ?? null);
  const rows: readonly Row[] = [
    ...(depths_mm === null
      ? []
      : [
          { key: '0.5', name: '0.5 R80', depth_mm: depths_mm.half },
          { key: '0.9', name: '0.9 R80', depth_mm: depths_mm.near },
        ]),
    ...(z === null ? [] : [{ key: 'crosshair', name: 'Crosshair', depth_mm: z }]),
  ];
  if (rows.length === 0) return null;
  return (
    <table className="widths wide" title="Width of the fluence of protons crossing the plane at this depth">
      <thead>
        <tr>
          <th scope="col">Beam width at</th>
          <th scope="col">z (mm)</th>
          <th scope="col">σx (mm)</th>
          <th scope="col">σθ (mrad)</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key}>
            <th scope="row">{row.name}</th>
            <td>{fixedDigits(row.depth_mm, 1)}</td>
            <td>{fixedDigits(valueAtDepth(moments.depth_mm, moments.sigma_x_mm, row.depth_mm), 3)}</td>
            <td>{fixedDigits(valueAtDepth(moments.depth_mm, moments.theta_rms_mrad, row.depth_mm), 1)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
