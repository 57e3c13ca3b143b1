/** Where the crosshair is, in every axis of the maps. */
import type { ReactElement } from 'react';
import type { AxisName } from '../../../electron/contract/fields.ts';
import { fixed } from '../../base/numbers.ts';
import { shownCrosshair } from '../../state/selection.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { axisDecimals, axisNames, axisSymbols, axisUnits } from './maps.ts';
import { useShownMaps } from './shown-maps.ts';

export function Position(): ReactElement {
  const { stores } = useWorkbench();
  const at = useSelected(stores.selection, shownCrosshair);
  const pinned = useSelected(stores.selection, (state) => state.hover === null && state.pinned !== null);
  // Between them the maps have all axes that the crosshair can have a place on.
  const shown = useShownMaps();
  if (at === null) {
    return (
      <span className="panel-readout panel-readout--none">Point at a map to read it; click to keep the crosshair.</span>
    );
  }
  const decimals = (axis: AxisName): number => {
    const found = shown
      .flatMap((map) => (map === null ? [] : [map.field.horizontal, map.field.vertical]))
      .find(({ name }) => name === axis);
    return found === undefined ? 2 : axisDecimals(found);
  };
  return (
    <output className="panel-readout" aria-live="off" data-testid="phase-readout">
      {pinned ? <span className="panel-readout__pin" title="Pinned; Esc takes it away" /> : null}
      {axisNames.map((axis) => {
        const value = at[axis];
        return value === undefined ? null : (
          <span key={axis}>
            {axisSymbols[axis]} <b>{fixed(value, decimals(axis))}</b> {axisUnits[axis]}
          </span>
        );
      })}
    </output>
  );
}
