/** The slice of the CT in grey, with the solver's box and the beam's way in it. */
import { type ReactElement, useEffect, useRef, useState } from 'react';
import type { CtPicture } from '../../../electron/contract/ct-picture.ts';
import { type Path, valueAt } from '../../../electron/contract/scenario/index.ts';
import { fixed } from '../../base/numbers.ts';
import { FieldImage } from '../../drawing/field-image.ts';
import { normalisation } from '../../drawing/normalisation.ts';
import { linearScale } from '../../drawing/scale.ts';
import { grey } from '../../drawing/wash.ts';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { useForm } from './form-context.ts';
import './ct-picture.css';

/** A screen's pixels across the form, twice over. */
const PIXELS = 512;
/** As the form's own checks wait for the next key. */
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

/** Anatomical directions of the picture's sides: left, right, top, bottom. */
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

/** The picture of what the form says now, or of what it said last; null without one. */
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
          // Errors in the CT are shown next to its fields.
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

function about({ plane, at_mm, from_mm, to_mm, slices, toRange }: CtPicture): string {
  const which = slices === 1 ? 'the only slice' : `of ${slices} from ${fixed(from_mm, 1)} to ${fixed(to_mm, 1)} mm`;
  const way = toRange ? 'The dot is the range of the beam.' : 'Lines are ways through the box.';
  return `${plane} at ${fixed(at_mm, 1)} mm, ${which}. ${way}`;
}

function Drawn({ picture, window }: { readonly picture: CtPicture; readonly window: Window }): ReactElement {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { slice, plane, box, beams, toRange } = picture;
  const { horizontal, vertical } = slice;
  const [wide, high] = [horizontal.to - horizontal.from, vertical.to - vertical.from];
  // The head is above; the back of who lies on a couch is below.
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
    <div className="ct-picture__image" style={{ aspectRatio: `${wide} / ${high}` }}>
      <canvas
        ref={canvas}
        width={PIXELS}
        height={Math.max(16, Math.round((PIXELS * high) / wide))}
        role="img"
        aria-label={`CT, ${about(picture)}`}
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
          className="ct-picture__side"
          data-at={['left', 'right', 'top', 'bottom'][i]}
          title={sideNames[side]}
        >
          {side}
        </span>
      ))}
    </div>
  );
}

export function CtPictureView({ path }: { readonly path: Path }): ReactElement | null {
  const picture = usePicture(path);
  const [window, setWindow] = useState<Window>('whole');
  if (picture === null) return null;
  return (
    <figure className="ct-picture" data-testid="ct-picture">
      <Drawn picture={picture} window={window} />
      <figcaption>
        <Segmented
          label="Hounsfield units that the greys go over"
          value={window}
          options={windowOptions}
          onChange={setWindow}
        />
        <p>{`CT, ${about(picture)}`}</p>
      </figcaption>
    </figure>
  );
}
