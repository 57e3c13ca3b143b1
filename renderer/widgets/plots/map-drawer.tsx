/** Evaluation of a mark on a map: the profile along a segment, or the statistics of a rectangle. */
import { type ReactElement, useMemo } from 'react';
import type { FieldMap } from '../../../electron/contract/fields.ts';
import { fixedDigits, significant } from '../../../electron/domain/numbers.ts';
import { type Chart, type Pane, paneArrays } from '../../drawing/charts/chart.ts';
import { plottedFigure } from '../../drawing/charts/plotted-figure.ts';
import type { ScaleKind } from '../../drawing/colormap.ts';
import { axisArray, curveArray, type Figure, type FigureFormat } from '../../drawing/export/figure.ts';
import { fieldProfile, fieldStatistics, isReduced } from '../../drawing/field-statistics.ts';
import type { MapMark, MapPoint } from '../../drawing/map-view.ts';
import type { FrameScheduler } from '../../drawing/scheduler.ts';
import { IconButton } from '../controls/button.tsx';
import { ExportMenu } from '../floating/menu.tsx';
import { ShownChart } from './chart-plot.tsx';
import './plots.css';

interface MapDrawerProps {
  readonly field: FieldMap;
  readonly mark: MapMark;
  readonly scale: ScaleKind;
  readonly scheduler: FrameScheduler;
  /** Prefix of exported file names. */
  readonly name: string;
  readonly notes: Figure['notes'];
  readonly onExport: (figure: Figure | null, format: FigureFormat) => void;
  readonly onClose: () => void;
}

const symbols: Readonly<Record<string, string>> = { theta: 'θ', e: 'E' };
const symbolOf = ({ name }: FieldMap['horizontal']): string => symbols[name] ?? name;
const MAXIMA =
  'Each sample is the largest of its cells, so there is no sum: zoom in, or choose the mean under Display.';
const EXPORT_SIZE = { width: 640, height: 360 } as const;
const HEADROOM = 1.08;
const DECADES = 1e-5;

const positionText = (field: FieldMap, { horizontal, vertical }: MapPoint, digits = 2): string =>
  `${symbolOf(field.horizontal)} ${fixedDigits(horizontal, digits)} ${field.horizontal.unit}, ` +
  `${symbolOf(field.vertical)} ${fixedDigits(vertical, digits)} ${field.vertical.unit}`;

const capitalized = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

function profileChart(field: FieldMap, mark: MapMark, scale: ScaleKind): Chart {
  const { distance, unit, values, horizontal, vertical } = fieldProfile(field, mark.from, mark.to);
  const known = values.filter((value) => Number.isFinite(value));
  const [low, high] = [known.reduce((a, b) => Math.min(a, b), 0), known.reduce((a, b) => Math.max(a, b), 0)];
  const log = scale === 'log' && high > 0 && low >= 0;
  const span = high - low || 1;
  const name = capitalized(field.quantity);
  const pane: Pane = {
    x: {
      ...{ title: unit === '' ? 'Fraction of the line' : 'Along the line', unit, kind: 'linear', from: 0 },
      to: distance[distance.length - 1] ?? 1,
    },
    y: {
      ...{ title: name, unit: field.unit, kind: log ? 'log' : 'linear', fixed: true },
      from: log ? high * DECADES : low < 0 ? low - 0.05 * span : 0,
      to: log ? high * 2 : low + span * HEADROOM,
    },
    series: [
      {
        ...{ kind: 'line', name, ink: 'series-1', dash: [], x: distance, y: values },
        ...(low >= 0 && !log && { fill: 'to zero' }),
      },
    ],
    tall: 1,
  };
  const arrays = paneArrays(pane);
  const axis = arrays[0]?.name ?? 'distance';
  // Coordinates of each point on the segment, in addition to its distance along it.
  const place = ({ name, unit }: FieldMap['horizontal'], at: Float64Array) =>
    curveArray(name, unit, 'position on the line', axis, at);
  return {
    title: markText(field, mark),
    panes: [pane],
    legend: 'none',
    hover: 'values',
    arrays: [...arrays, place(field.horizontal, horizontal), place(field.vertical, vertical)],
    notes: {},
  };
}

const markText = (field: FieldMap, { from, to }: MapMark): string =>
  `${capitalized(field.quantity)} from ${positionText(field, from)} to ${positionText(field, to)}`;

/** Whether each sample is the maximum of several cells. A sum over such samples has no meaning. */
const areMaxima = (field: FieldMap): boolean => field.statistic === 'max' && isReduced(field);

function Statistics({ field, mark }: MapDrawerProps): ReactElement {
  const maxima = areMaxima(field);
  const found = useMemo(() => fieldStatistics(field, mark.from, mark.to), [field, mark]);
  if (found === null) return <p className="map-drawer__none muted">No sample has its centre in this rectangle.</p>;
  const { horizontal, vertical } = field;
  const [h, v] = [symbolOf(horizontal), symbolOf(vertical)];
  const cell = horizontal.cellsPerSample * vertical.cellsPerSample;
  const sums: readonly (readonly [string, string, string])[] = [
    [found.total.name, significant(found.total.value, 5), found.total.unit],
    ['Mean', significant(found.mean, 5), field.unit],
    ['Centroid', found.centroid === null ? '–' : positionText(field, found.centroid, 3), ''],
    [`σ along ${h}`, significant(found.sigma?.horizontal, 4), horizontal.unit],
    [`σ along ${v}`, significant(found.sigma?.vertical, 4), vertical.unit],
  ];
  const rows: readonly (readonly [string, string, string])[] = [
    ...(maxima ? [] : sums),
    ['Largest', significant(found.max, 5), field.unit],
    ['Largest at', positionText(field, found.maxAt), ''],
    ['Samples', String(found.samples), cell === 1 ? 'of one cell' : `of ${cell} cells`],
  ];
  return (
    <>
      <dl className="map-drawer__statistics grid" data-testid="region-statistics">
        {rows.map(([name, value, unit]) => (
          <div className="flex gap-l between" key={name}>
            <dt>{name}</dt>
            <dd className="muted nowrap">
              <b>{value}</b> {unit}
            </dd>
          </div>
        ))}
      </dl>
      {maxima ? <p className="map-drawer__none muted">{MAXIMA}</p> : null}
    </>
  );
}

/** Exports the values in a rectangle without a picture, as the corresponding part of the map. */
function regionFigure({ field, mark, name, notes }: MapDrawerProps): Figure | null {
  const found = fieldStatistics(field, mark.from, mark.to);
  if (found === null) return null;
  const { horizontal, vertical, unit } = field;
  const sums: readonly (readonly [key: string, value: number, unit: string])[] = [
    ['total', found.total.value, found.total.unit],
    ['mean', found.mean, unit],
    ['centroid_horizontal', found.centroid?.horizontal ?? Number.NaN, horizontal.unit],
    ['centroid_vertical', found.centroid?.vertical ?? Number.NaN, vertical.unit],
    ['sigma_horizontal', found.sigma?.horizontal ?? Number.NaN, horizontal.unit],
    ['sigma_vertical', found.sigma?.vertical ?? Number.NaN, vertical.unit],
  ];
  const values: typeof sums = [
    ...(areMaxima(field) ? [] : sums),
    ['max', found.max, unit],
    ['max_horizontal', found.maxAt.horizontal, horizontal.unit],
    ['max_vertical', found.maxAt.vertical, vertical.unit],
  ];
  const lines = values.map(([key, value, of]) => `${key} ${significant(value, 6)} ${of}`);
  return {
    name: `${name}-region`,
    title: `${name}: ${markText(field, mark)}`,
    notes: { ...notes, horizontal: field.horizontal.name, vertical: field.vertical.name },
    width: 420,
    height: 18 * lines.length + 8,
    arrays: [
      axisArray('sample_count', '', 'samples in the rectangle', [found.samples]),
      ...values.map(([key, value, of]) => curveArray(key, of, key, 'sample_count', [value])),
    ],
    paint: (context) => {
      context.textAlign = 'left';
      context.textBaseline = 'top';
      for (const [i, line] of lines.entries()) context.fillText(line, 0, 18 * i);
    },
  };
}

export function MapDrawer(props: MapDrawerProps): ReactElement {
  const { field, mark, scale, scheduler, name, notes, onExport, onClose } = props;
  const chart = useMemo(
    () => (mark.kind === 'segment' ? profileChart(field, mark, scale) : null),
    [field, mark, scale],
  );
  const what = chart === null ? 'the region' : 'the profile';
  const figure = (): Figure | null => {
    if (chart === null) return regionFigure(props);
    const about = { name: `${name}-profile`, title: `${name}: ${chart.title}`, notes };
    return plottedFigure(chart, about, EXPORT_SIZE);
  };
  return (
    <section
      className="map-drawer stack line-above"
      aria-label={chart === null ? 'Statistics of the region' : 'Profile along the line'}
    >
      <header className="map-drawer__head flex center gap-l">
        <h2>{chart === null ? 'Region' : 'Profile'}</h2>
        <span className="clip nowrap grow muted">
          {positionText(field, mark.from)} → {positionText(field, mark.to)}
        </span>
        <ExportMenu what={what} onChoose={(format) => onExport(figure(), format)} />
        <IconButton icon="close" size={13} label={`Close ${what}`} onPress={onClose} />
      </header>
      {chart === null ? (
        <Statistics {...props} />
      ) : (
        <div className="map-drawer__plot relative">
          <ShownChart chart={chart} scheduler={scheduler} fill />
        </div>
      )}
    </section>
  );
}
