/**
 * Form fields for material from a CT: file, slice, beam position and conversion table. Below them, a grey picture of
 * the CT slice shows the solver's box and the beam path.
 */
import { type ReactElement, useEffect, useRef, useState } from 'react';
import type { CtPicture, CtSeriesInfo } from '../../../electron/contract/fields.ts';
import { type Path, valueAt } from '../../../electron/contract/scenario/index.ts';
import { fixedDigits } from '../../../electron/domain/numbers.ts';
import { grey, normalisation } from '../../drawing/colormap.ts';
import { FieldImage } from '../../drawing/field-image.ts';
import { linearScale } from '../../drawing/scale.ts';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { fieldModel, useForm } from './fields.ts';
import './scenario-panel.css';
import { NumberField } from '../../widgets/controls/number-field.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { Field, Row } from './field.tsx';

/** Picture size: twice the form's width in pixels. */
const PIXELS = 512;
/** Delay in ms after the last key, as for the form's checks. */
const SETTLE_MS = 150;

const windows = {
  whole: { low: -1000, high: 1000 },
  soft: { low: -160, high: 240 },
  lung: { low: -1350, high: 150 },
} as const;
type Window = keyof typeof windows;

const windowOptions = [
  { value: 'whole', label: 'all', title: '−1000 to 1000 HU' },
  { value: 'soft', label: 'soft tissue', title: '−160 to 240 HU' },
  { value: 'lung', label: 'lung', title: '−1350 to 150 HU' },
] as const;

/** Anatomical directions at the picture's sides: left, right, top, bottom. */
const sides = {
  transverse: ['R', 'L', 'A', 'P'],
  coronal: ['R', 'L', 'H', 'F'],
  sagittal: ['A', 'P', 'H', 'F'],
} as const;
const sideNames: Readonly<Record<string, string>> = {
  R: 'right',
  L: 'left',
  A: 'front',
  P: 'back',
  H: 'head',
  F: 'feet',
};

/** CT picture for the current form, or the previous one until it arrives; null without a CT. */
function usePicture(path: Path): CtPicture | null {
  const { client, stores } = useWorkbench();
  const { draft } = useForm();
  const file = useSelected(stores.scenario, (state) => state.file?.file ?? null);
  const named = valueAt(draft, [...path, 'file']) !== undefined;
  const [picture, setPicture] = useState<CtPicture | null>(null);
  useEffect(() => {
    if (!named) {
      setPicture(null);
      return;
    }
    const going = new AbortController();
    const ask = (): void => {
      client.callCancellable('ct.picture', { scenario: draft, file, pixels: PIXELS }, going.signal).then(
        (outcome) => {
          if (!going.signal.aborted && outcome.status === 'done') setPicture(outcome.value.picture);
        },
        () => {
          // The form shows errors in the CT next to its fields.
          if (!going.signal.aborted) setPicture(null);
        },
      );
    };
    const timer = setTimeout(ask, SETTLE_MS);
    return () => {
      clearTimeout(timer);
      going.abort();
    };
  }, [client, draft, file, named]);
  return picture;
}

function pictureText({ plane, at_mm, from_mm, to_mm, slices, toRange }: CtPicture): string {
  const which =
    slices === 1 ? 'the only slice' : `of ${slices} from ${fixedDigits(from_mm, 1)} to ${fixedDigits(to_mm, 1)} mm`;
  const way = toRange ? 'The dot is the range of the beam.' : 'Lines are beam paths through the box.';
  return `${plane} at ${fixedDigits(at_mm, 1)} mm, ${which}. ${way}`;
}

function CtPlaneView({ picture, window }: { readonly picture: CtPicture; readonly window: Window }): ReactElement {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { slice, plane, box, beams, toRange } = picture;
  const { horizontal, vertical } = slice;
  const [wide, high] = [horizontal.to - horizontal.from, vertical.to - vertical.from];
  // The head is at the top. In transverse slices, the back of a supine patient is at the bottom.
  const up = plane !== 'transverse';
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d') ?? null;
    if (element === null || context === null) return;
    const { width, height } = element;
    const [top, bottom] = up ? [vertical.to, vertical.from] : [vertical.from, vertical.to];
    context.clearRect(0, 0, width, height);
    new FieldImage().draw(
      context,
      slice,
      grey,
      normalisation('linear', windows[window]),
      linearScale(horizontal.from, horizontal.to, 0, width),
      linearScale(top, bottom, 0, height),
    );
  }, [slice, horizontal, vertical, up, window]);
  const at = ([u, v]: readonly [number, number]): readonly [number, number] => [
    u - horizontal.from,
    up ? vertical.to - v : v - vertical.from,
  ];
  const points = box.map((corner) => at(corner).join(',')).join(' ');
  const [left, right, top, bottom] = sides[plane];
  return (
    <div className="ct-picture__image clip wide rounded relative" style={{ aspectRatio: `${wide} / ${high}` }}>
      <canvas
        ref={canvas}
        width={PIXELS}
        height={Math.max(16, Math.round((PIXELS * high) / wide))}
        role="img"
        aria-label={`CT, ${pictureText(picture)}`}
      />
      <svg viewBox={`0 0 ${wide} ${high}`} aria-hidden="true">
        <polygon className="ct-picture__box" points={points} />
        {beams.map(({ from, to }) => {
          const [[x1, y1], [x2, y2]] = [at(from), at(to)];
          return (
            <g key={`${x1} ${y1} ${x2} ${y2}`} className="ct-picture__beam">
              <line x1={x1} y1={y1} x2={x2} y2={y2} />
              {toRange ? <circle cx={x2} cy={y2} r={0.012 * wide} /> : null}
            </g>
          );
        })}
      </svg>
      {[left, right, top, bottom].map((side, i) => (
        <span
          key={side}
          className="ct-picture__side small"
          data-at={['left', 'right', 'top', 'bottom'][i]}
          title={sideNames[side]}
        >
          {side}
        </span>
      ))}
    </div>
  );
}

function CtPictureView({ path }: { readonly path: Path }): ReactElement | null {
  const picture = usePicture(path);
  const [window, setWindow] = useState<Window>('whole');
  if (picture === null) return null;
  return (
    <figure className="ct-picture grid gap-s" data-testid="ct-picture">
      <CtPlaneView picture={picture} window={window} />
      <figcaption className="grid gap-s muted small">
        <Segmented
          label="Hounsfield range of the grey scale"
          value={window}
          options={windowOptions}
          onChange={setWindow}
        />
        <p>{`CT, ${pictureText(picture)}`}</p>
      </figcaption>
    </figure>
  );
}

function FileField({ path }: { readonly path: Path }): ReactElement | null {
  const form = useForm();
  const field = fieldModel(form.draft, null, [...path, 'file']);
  if (field === null) return null;
  return (
    <Row field={field}>
      {({ describedBy, invalid }) => (
        <TextField
          label="File or folder of a CT"
          placeholder="none; such as ct/thorax"
          value={typeof field.value === 'string' ? field.value : ''}
          invalid={invalid}
          {...(describedBy === undefined ? {} : { describedBy })}
          onChange={(file) => {
            const { file: _, ...rest } = (valueAt(form.draft, path) ?? {}) as Readonly<Record<string, unknown>>;
            form.edit(path, file === '' ? undefined : { file, ...rest }, 'CT', 'ct');
          }}
          onEditEnd={form.endEdit}
        />
      )}
    </Row>
  );
}

/** CT series in the folder that the form names; empty until loaded. */
function useSeries(name: unknown): readonly CtSeriesInfo[] {
  const { client, stores } = useWorkbench();
  const file = useSelected(stores.scenario, (state) => state.file?.file ?? null);
  const [series, setSeries] = useState<readonly CtSeriesInfo[]>([]);
  useEffect(() => {
    setSeries([]);
    if (typeof name !== 'string' || name === '' || file === null) return;
    const going = new AbortController();
    const timer = setTimeout(() => {
      client.callCancellable('ct.series', { name, file }, going.signal).then(
        (outcome) => {
          if (!going.signal.aborted && outcome.status === 'done') setSeries(outcome.value.series);
        },
        () => {
          // The row of the file field shows the error.
        },
      );
    }, SETTLE_MS);
    return () => {
      clearTimeout(timer);
      going.abort();
    };
  }, [client, name, file]);
  return series;
}

const shortUid = (uid: string): string => (uid.length > 24 ? `…${uid.slice(-20)}` : uid);

/** Name, number of slices, size and positions of a series, as far as known. */
function seriesText({ uid, description, slices, columns, rows, from_mm, to_mm, notes, reason }: CtSeriesInfo): string {
  const parts = [description === '' ? shortUid(uid) : description, slices === 1 ? '1 slice' : `${slices} slices`];
  if (reason !== null) return [...parts, 'cannot be read'].join(', ');
  parts.push(`${columns} × ${rows}`, `${fixedDigits(from_mm, 1)} to ${fixedDigits(to_mm, 1)} mm`);
  return [...parts, ...(notes.length > 0 ? ['see its warnings'] : [])].join(', ');
}

/** Choice among the folder's series; a text field if they are unknown. */
function SeriesField({ path }: { readonly path: Path }): ReactElement | null {
  const form = useForm();
  const own = [...path, 'series'];
  const field = fieldModel(form.draft, null, own);
  const series = useSeries(valueAt(form.draft, [...path, 'file']));
  if (field === null) return null;
  const value = typeof field.value === 'string' ? field.value : '';
  if (series.length === 0) return <Field path={own} />;
  if (series.length === 1 && value === '') return null;
  const described = series.filter(({ description }) => description === value.trim());
  const chosen = described.length === 1 ? (described[0]?.uid ?? value) : value;
  const readable = series.filter(({ reason }) => reason === null).length;
  const unchosen = readable > 1 ? `Choose one of ${series.length} series` : 'The only readable series';
  const none = value === '' ? [{ value: '', label: unchosen }] : [];
  return (
    <Row field={field}>
      {({ describedBy, invalid }) => (
        <Select
          label="CT series"
          value={chosen}
          options={[
            ...none,
            ...series.map((one) => ({ value: one.uid, label: seriesText(one), disabled: one.reason !== null })),
          ]}
          invalid={invalid || (value === '' && readable > 1)}
          title={series.find(({ uid }) => uid === chosen)?.notes.join('. ') ?? field.description}
          onChange={(uid) => form.edit(own, uid === '' ? undefined : uid, field.title)}
          {...(describedBy === undefined ? {} : { describedBy })}
        />
      )}
    </Row>
  );
}

const AXES = ['first', 'second'] as const;

/** A point of two numbers, or none; a single number is not a point. */
function PointField({ path }: { readonly path: Path }): ReactElement | null {
  const form = useForm();
  const field = fieldModel(form.draft, null, path);
  if (field === null) return null;
  const point: readonly unknown[] = Array.isArray(field.value) ? field.value : [undefined, undefined];
  return (
    <Row field={field}>
      {({ describedBy, invalid }) => (
        <span className="interval grid gap-s">
          {AXES.map((axis, i) => (
            <NumberField
              key={axis}
              label={`${field.title}, ${axis} axis`}
              value={point[i]}
              unit="mm"
              placeholder={null}
              min={-10_000}
              max={10_000}
              invalid={invalid}
              {...(describedBy === undefined ? {} : { describedBy })}
              onChange={(next) => {
                const both = AXES.map((_, k) => (k === i ? next : point[k]) ?? '');
                const none = both.every((value) => value === '');
                form.edit(path, none ? undefined : both, field.title, `${field.key}.${axis}`);
              }}
              onEditEnd={form.endEdit}
            />
          ))}
        </span>
      )}
    </Row>
  );
}

export function CtField({ path }: { readonly path: Path }): ReactElement {
  const form = useForm();
  const ct = valueAt(form.draft, path);
  const own = typeof valueAt(ct, ['hu_table']) === 'object';
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot be part of the form's grid
    <div className="field-group" role="group" aria-label="CT">
      <h3 className="field-group__title" title="Matter from a slice of a CT instead of the background">
        CT
      </h3>
      <FileField path={path} />
      {ct === undefined ? null : (
        <>
          <SeriesField path={path} />
          <Field path={[...path, 'plane']} />
          <Field path={[...path, 'at_mm']} />
          <Field path={[...path, 'angle_deg']} />
          <PointField path={[...path, 'isocentre_mm']} />
          <Field path={[...path, 'isocentre_depth_mm']} />
          <CtPictureView path={path} />
          <p className="faint">
            {own
              ? 'HU by the table in the file.'
              : 'HU are converted with the materials of Schneider et al.; a custom table can be set in the file.'}
          </p>
        </>
      )}
    </div>
  );
}
