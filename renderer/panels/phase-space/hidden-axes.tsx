/** The two axes that a map does not show: summed over, or cut at one cell. */
import type { ReactElement } from 'react';
import type { AxisName } from '../../../electron/contract/fields.ts';
import type { GridSize } from '../../../electron/contract/scenario/transport/workload.ts';
import { fixed } from '../../base/numbers.ts';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { Popover, PopoverRow } from '../../widgets/floating/popover.tsx';
import {
  axisSymbols,
  axisUnits,
  cellsOf,
  type HiddenCuts,
  hiddenAxes,
  hiddenText,
  type PhaseAxes,
  titleOf,
} from './maps.ts';

const choices = [
  { value: 'sum', label: 'sum', title: 'Sum over all cells' },
  { value: 'cut', label: 'cut', title: 'One cell of the axis' },
] as const;

interface HiddenAxesProps {
  readonly axes: PhaseAxes;
  readonly cuts: HiddenCuts;
  /** Grid of the run that is shown; null: not known yet. */
  readonly grid: GridSize | null;
  /** In the axis' unit; null: not known. */
  readonly position: (axis: AxisName, index: number) => number | null;
  readonly live: boolean;
  readonly onChange: (cuts: HiddenCuts) => void;
}

export function HiddenAxes({ axes, cuts, grid, position, live, onChange }: HiddenAxesProps): ReactElement {
  const place = (axis: AxisName, index: number): string => {
    const at = position(axis, index);
    return at === null ? `cell ${index}` : `${fixed(at, 1)} ${axisUnits[axis]}`;
  };
  const without = (axis: AxisName): HiddenCuts => cuts.filter((cut) => cut.axis !== axis);
  const set = (axis: AxisName, index: number | null): void =>
    onChange(index === null ? without(axis) : [...without(axis), { axis, index }]);
  return (
    <Popover
      label={`Axes that ${titleOf(axes)} does not show`}
      text={hiddenText(axes, cuts, ({ axis, index }) => place(axis, index))}
      active={cuts.length > 0}
    >
      {hiddenAxes(axes).map((axis) => {
        const cut = cuts.find((each) => each.axis === axis);
        const cells = grid === null ? 0 : cellsOf(axis, grid);
        return (
          <PopoverRow key={axis} name={`${axisSymbols[axis]}${cut === undefined ? '' : ` ${place(axis, cut.index)}`}`}>
            <Segmented
              label={`${axisSymbols[axis]}: sum or cut`}
              value={cut === undefined ? 'sum' : 'cut'}
              options={choices}
              onChange={(choice) => set(axis, choice === 'sum' ? null : Math.floor(cells / 2))}
            />
            {cut === undefined ? null : (
              <input
                type="range"
                aria-label={`Cell of ${axisSymbols[axis]}`}
                aria-valuetext={`cell ${cut.index} of ${cells}, ${place(axis, cut.index)}`}
                min={0}
                max={Math.max(0, cells - 1)}
                value={cut.index}
                onChange={(event) => set(axis, Number(event.target.value))}
              />
            )}
          </PopoverRow>
        );
      })}
      <p className="popover__note">
        {live
          ? 'Cuts are made from the phase space of the run that computes.'
          : 'Of a run that is over the sums are kept: for a cut its steps up to this one are computed again.'}
      </p>
    </Popover>
  );
}
