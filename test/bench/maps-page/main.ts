/**
 * Four maps of 512 × 512 cells that change with every frame, as phase space does during a run. Frames arrive encoded,
 * as from the host. The workbench's code decodes, colours and paints them.
 */

import type { AxisName, FieldMap, MapAxis } from '../../../electron/contract/fields.ts';
import { decodeFrame, encodeFrame } from '../../../electron/contract/wire/frame.ts';
import { colorMap } from '../../../renderer/drawing/colormap.ts';
import { MapView } from '../../../renderer/drawing/map-view.ts';
import { browserFrames, FrameScheduler } from '../../../renderer/drawing/scheduler.ts';

const CELLS = 512;
/** Number of distinct frames, so that no frame is painted twice in a row. */
const FRAMES = 12;

type Name = AxisName;

const extents: Readonly<Record<Name, readonly [number, number, string]>> = {
  z: [0, 50, 'mm'],
  x: [-20, 20, 'mm'],
  theta: [-400, 400, 'mrad'],
  e: [1, 75, 'MeV'],
};
const pairs: readonly (readonly [Name, Name])[] = [
  ['z', 'x'],
  ['theta', 'x'],
  ['z', 'e'],
  ['theta', 'e'],
];

function mapAxis(name: Name): MapAxis {
  const [from, to, unit] = extents[name];
  // Edges of the energy bins, which are not equally wide because they follow the range.
  const edges =
    name === 'e'
      ? Float64Array.from({ length: CELLS + 1 }, (_, i) => from + (to - from) * (i / CELLS) ** (1 / 1.77))
      : null;
  return { name, unit, from, to, count: CELLS, cellsPerSample: 1, lastCells: 1, fullFrom: from, fullTo: to, edges };
}

/** Phase space of a beam at fraction `t` of its path. */
function phaseSpaceField([horizontal, vertical]: readonly [Name, Name], t: number): FieldMap {
  const values = new Float32Array(CELLS * CELLS);
  const [h0, v0] = [horizontal === 'z' ? t : 0.5, vertical === 'e' ? 1 - 0.9 * t : 0.5];
  const [sh, sv] = [horizontal === 'z' ? 0.01 + 0.02 * t : 0.05 + 0.1 * t, 0.03 + 0.08 * t];
  let [max, minPositive] = [0, Number.POSITIVE_INFINITY];
  for (let j = 0; j < CELLS; j += 1) {
    for (let i = 0; i < CELLS; i += 1) {
      const value = Math.exp(-0.5 * (((i / CELLS - h0) / sh) ** 2 + ((j / CELLS - v0) / sv) ** 2));
      values[j * CELLS + i] = value;
      max = Math.max(max, value);
      if (value > 0) minPositive = Math.min(minPositive, value);
    }
  }
  const known = { statistic: 'mean', min: 0, max, minPositive } as const;
  return {
    quantity: 'protons',
    unit: 'protons per cell',
    horizontal: mapAxis(horizontal),
    vertical: mapAxis(vertical),
    values,
    ...known,
  };
}

const main = document.querySelector('main');
if (main === null) throw new Error('the page has no place for the maps');
const scheduler = new FrameScheduler(browserFrames());
const views = pairs.map(() => {
  const cell = document.createElement('div');
  const [below, above] = [document.createElement('canvas'), document.createElement('canvas')];
  cell.append(below, above);
  main.append(cell);
  return new MapView(below, above, scheduler, () => undefined, 'compact');
});
const messages = Array.from({ length: FRAMES }, (_, i) =>
  encodeFrame({ maps: pairs.map((pair) => phaseSpaceField(pair, (i + 0.5) / FRAMES)) }),
);

declare global {
  interface Window {
    /** Shows `frames` frames one after the other; returns the main thread's wall time for each, in ms. */
    playMaps(frames: number, scale: 'linear' | 'log'): Promise<{ decode: number[]; paint: number[] }>;
  }
}

window.playMaps = async (frames, scale) => {
  const [decode, paint]: [number[], number[]] = [[], []];
  for (let i = 0; i < frames; i += 1) {
    const message = messages[i % FRAMES];
    if (message === undefined) continue;
    const begun = performance.now();
    const { maps } = decodeFrame(message) as { readonly maps: readonly FieldMap[] };
    for (const [index, map] of maps.entries()) {
      const shown = (part: MapAxis) => ({ title: part.name, unit: part.unit, from: part.from, to: part.to });
      const scene = {
        horizontal: shown(map.horizontal),
        vertical: shown(map.vertical),
        field: map,
        quantityTitle: null,
        annotations: [],
      };
      views[index]?.show(scene, { colorMap: colorMap('viridis'), scale, limits: null, handles: true });
      views[index]?.setCrosshair({ horizontal: 10 + i * 0.01, vertical: 3 });
    }
    decode.push(performance.now() - begun);
    await scheduler.painted();
    paint.push(scheduler.statistics.last_ms);
  }
  return { decode, paint };
};
document.body.dataset['ready'] = 'true';
