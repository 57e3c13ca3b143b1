/**
 * Display settings of a map: colours, scale, limits, contours. The drag tools of a map move it, draw a segment for a
 * profile, or mark a region. Stateless.
 */
import type { ReactElement, ReactNode } from 'react';
import { colorMaps, type Limits, type ScaleKind } from '../../drawing/colormap.ts';
import type { DragTool } from '../../drawing/map-gestures.ts';
import { Button } from '../controls/button.tsx';
import { NumberField } from '../controls/number-field.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { Select } from '../controls/select.tsx';
import { Popover, PopoverRow } from '../floating/popover.tsx';

const scales: readonly { readonly value: ScaleKind; readonly label: string; readonly title: string }[] = [
  { value: 'linear', label: 'lin', title: 'Linear scale' },
  { value: 'log', label: 'log', title: 'Logarithmic scale' },
  { value: 'symlog', label: 'symlog', title: 'Logarithmic away from zero, linear around it' },
];

const options = (kind: 'sequential' | 'diverging') =>
  colorMaps.filter((map) => map.kind === kind).map((map) => ({ value: map.name, label: map.title }));

interface MapDisplayValue {
  readonly colorMap: string;
  /** Colour map for differences. */
  readonly divergingMap: string;
  readonly scale: ScaleKind;
  readonly contours: boolean;
  /** Limits of the colours; null for each field's own limits. */
  readonly limits: Limits | null;
}

interface MapDisplayProps {
  /** Name of the map, such as `dose map`. */
  readonly mapName: string;
  readonly value: MapDisplayValue;
  /** Current limits, shown if the user has set none. */
  readonly shown: Limits | null;
  readonly unit: string;
  readonly onChange: (change: Partial<MapDisplayValue>) => void;
  /** Further rows of controls. */
  readonly children?: ReactNode;
}

export function MapDisplay({ mapName, value, shown, unit, onChange, children }: MapDisplayProps): ReactElement {
  const { limits } = value;
  const change = (which: keyof Limits, entered: number | string | undefined): void => {
    if (typeof entered !== 'number' || !Number.isFinite(entered)) return;
    const whole = limits ?? shown;
    if (whole !== null) onChange({ limits: { ...whole, [which]: entered } });
  };
  const empty = limits !== null && limits.low >= limits.high;
  const field = (which: keyof Limits, label: string): ReactElement => (
    <NumberField
      label={`${label} limit of the colours (${unit})`}
      value={limits?.[which]}
      unit="1"
      placeholder={shown?.[which] ?? null}
      min={-Number.MAX_VALUE}
      max={Number.MAX_VALUE}
      invalid={empty}
      onChange={(entered) => change(which, entered)}
    />
  );
  return (
    <Popover label={`Display of the ${mapName}`} text="Display" action="display" active={limits !== null}>
      <PopoverRow name="Scale">
        <Segmented label="Scale" value={value.scale} options={scales} onChange={(scale) => onChange({ scale })} />
      </PopoverRow>
      <PopoverRow name="Colours">
        <Select
          label="Colour map"
          value={value.colorMap}
          options={options('sequential')}
          onChange={(colorMap) => onChange({ colorMap })}
        />
      </PopoverRow>
      <PopoverRow name="Differences">
        <Select
          label="Colour map of differences"
          value={value.divergingMap}
          options={options('diverging')}
          onChange={(divergingMap) => onChange({ divergingMap })}
        />
      </PopoverRow>
      <PopoverRow name="Limits">
        {field('low', 'Lower')}
        {field('high', 'Upper')}
        <Button tone="quiet" disabled={limits === null} onPress={() => onChange({ limits: null })}>
          Auto
        </Button>
      </PopoverRow>
      <p className="popover__note" data-tone={empty ? 'warning' : undefined}>
        {empty
          ? 'The lower limit must be below the upper one.'
          : `${unit === '' ? 'Plain numbers' : `In ${unit}`}. You can also drag them along the colour bar; double-click there to reset them.`}
      </p>
      <PopoverRow name="Contours">
        <label className="flex center gap-m">
          <input
            type="checkbox"
            checked={value.contours}
            onChange={(event) => onChange({ contours: event.target.checked })}
          />
          Lines at fractions of the largest value
        </label>
      </PopoverRow>
      {children}
    </Popover>
  );
}

const tools: readonly { readonly value: DragTool; readonly label: string; readonly title: string }[] = [
  { value: 'pan', label: 'move', title: 'Dragging moves the zoomed field' },
  { value: 'segment', label: 'line', title: 'Drag a line: shows the values along it' },
  { value: 'region', label: 'region', title: 'Drag a rectangle: shows sum, mean, largest value, centre and width' },
];

interface DragToolChoiceProps {
  readonly value: DragTool;
  readonly onChange: (tool: DragTool) => void;
}

export function DragToolChoice({ value, onChange }: DragToolChoiceProps): ReactElement {
  return <Segmented label="Dragging on the map" value={value} options={tools} onChange={onChange} />;
}
