/** The value under the crosshair, with its place. */
import type { ReactElement } from 'react';
import { fixed, significant } from '../../base/numbers.ts';
import { probe } from '../../drawing/field-probe.ts';
import { shownCrosshair } from '../../state/selection.ts';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';

/** As many decimals as tell two cells apart. */
function decimalsOf(cell_mm: number): number {
  return Math.min(4, Math.max(1, Math.ceil(-Math.log10(cell_mm)) + 1));
}

const readingNames: Readonly<Record<string, string>> = {
  dose: 'dose',
  'dose per mass': 'dose',
  'dose in Gy': 'dose',
  'gamma index': 'gamma',
  LETd: 'LETd',
  LETt: 'LETt',
};

/** `underKey`: of the map that lies in grey below it. */
export function DoseReadout({
  mapKey,
  underKey,
}: {
  readonly mapKey: string;
  readonly underKey: string;
}): ReactElement {
  const { stores, data } = useWorkbench();
  const crosshair = useSelected(stores.selection, shownCrosshair);
  const pinned = useSelected(stores.selection, (state) => state.hover === null && state.pinned !== null);
  const shown = useCached(data.maps, mapKey);
  const under = useCached(data.maps, underKey);
  if (crosshair?.z === undefined || crosshair.x === undefined || shown === null) {
    return (
      <span className="panel-readout panel-readout--none">
        Point at the map to read it; click to keep the crosshair.
      </span>
    );
  }
  const { field } = shown;
  const hit = probe(field, crosshair.z, crosshair.x);
  const matter = under === null ? null : probe(under.field, crosshair.z, crosshair.x);
  const digits = (axis: { from: number; to: number; count: number }): number =>
    decimalsOf((axis.to - axis.from) / axis.count);
  return (
    <output className="panel-readout" aria-live="off" data-testid="dose-readout">
      {pinned ? <span className="panel-readout__pin" title="Pinned; Esc takes it away" /> : null}
      <span>
        z <b>{fixed(crosshair.z, digits(field.horizontal))}</b> mm
      </span>
      <span>
        x <b>{fixed(crosshair.x, digits(field.vertical))}</b> mm
      </span>
      <span>
        {readingNames[field.quantity] ?? 'difference'}{' '}
        <b>{hit === null || Number.isNaN(hit.value) ? '–' : significant(hit.value, 4)}</b> {field.unit}
      </span>
      {matter === null || Number.isNaN(matter.value) ? null : (
        <span>
          in <b>{significant(matter.value, 3)}</b> g/cm³
        </span>
      )}
    </output>
  );
}
