import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { drawHorizontalAxis } from '../../../../renderer/drawing/axes.ts';
import {
  axisArray,
  combineFigures,
  curveArray,
  type Figure,
  figureCsv,
  identifier,
  unitName,
} from '../../../../renderer/drawing/export/figure.ts';
import { figureNpz } from '../../../../renderer/drawing/export/npz.ts';
import { SvgContext } from '../../../../renderer/drawing/export/svg-context.ts';
import { linearScale } from '../../../../renderer/drawing/scale.ts';
import type { DrawingTheme } from '../../../../renderer/drawing/theme.ts';

const svg = (): SvgContext =>
  new SvgContext({
    id: 'f',
    width: 200,
    height: 100,
    measure: (text) => 6 * text.length,
    imageUrl: (_image, sx, sy, sw, sh) => `data:image/png;base64,${[sx, sy, sw, sh].join('-')}`,
  });

const theme: DrawingTheme = {
  text: '#111111',
  textMuted: '#555555',
  axis: '#888888',
  grid: '#eeeeee',
  surface: '#ffffff',
  paper: '#ffffff',
  accent: '#0000ff',
  crosshair: '#ffffff',
  crosshairHalo: '#000000b3',
  reference: '#00ff00',
  family: '"Inter Variable", sans-serif',
  labelSize: 11,
};

describe('the SVG drawing context', () => {
  it('writes lines at their transformed position, with their own width', () => {
    const context = svg();
    context.translate(10, 20);
    context.scale(2, 2);
    context.strokeStyle = '#123456';
    context.lineWidth = 1.5;
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(1, 2);
    context.lineTo(5, 2);
    context.stroke();
    expect(context.text('t')).toContain(
      '<path d="M12 24L20 24" fill="none" stroke="#123456" stroke-width="1.5" stroke-dasharray="4 3"/>',
    );
  });

  it('clips until the state is restored', () => {
    const context = svg();
    context.save();
    context.beginPath();
    context.rect(10, 10, 20, 20);
    context.clip();
    context.fillRect(0, 0, 100, 100);
    context.restore();
    context.fillRect(1, 1, 2, 2);
    const text = context.text('t');
    expect(text).toContain('<clipPath id="f-clip1"><path d="M10 10L30 10L30 30L10 30Z"/></clipPath>');
    expect(text.match(/clip-path="url\(#f-clip1\)"/g)).toHaveLength(1);
  });

  it('embeds the visible part of an image, without smoothing if cells should be visible', () => {
    const context = svg();
    context.imageSmoothingEnabled = false;
    context.drawImage({} as HTMLCanvasElement, 1, 2, 3, 4, 10, 20, 30, 40);
    const text = context.text('t');
    expect(text).toContain('x="10" y="20" width="30" height="40"');
    expect(text).toContain('href="data:image/png;base64,1-2-3-4"');
    expect(text).toContain('image-rendering:pixelated');
  });

  it('keeps text as text, and escapes it for XML', () => {
    const context = svg();
    context.font = '600 12px "Inter Variable", sans-serif';
    context.textAlign = 'right';
    context.fillText('a < b & "c"', 5, 6);
    const text = context.text('<t>');
    expect(text).toContain('<title>&lt;t&gt;</title>');
    expect(text).toContain(
      `font-family="'Inter Variable', sans-serif" font-size="12" font-weight="600" text-anchor="end"`,
    );
    expect(text).toContain('>a &lt; b &amp; &quot;c&quot;</text>');
  });

  it('accepts the drawings of the page: an axis with ticks, labels and unit', () => {
    const context = svg();
    const box = { left: 20, top: 5, width: 160, height: 60 };
    drawHorizontalAxis(context.drawing, box, linearScale(0, 40, 20, 180), 'Depth z', 'mm', theme);
    const text = context.text('t');
    for (const label of ['>0<', '>20<', '>40<', '>Depth z (mm)<']) expect(text).toContain(label);
  });
});

const depth = axisArray('depth', 'mm', 'depth', [0.5, 1.5, 2.5]);
const dose = curveArray('dose', 'MeV/mm', 'dose', 'depth', [1, 2.5, 1e-7]);
const map = {
  name: 'protons',
  unit: 'protons per cell',
  description: 'protons',
  shape: [2, 3],
  values: Float32Array.of(1, 2, 3, 4, 5, 6),
  axes: ['x', 'depth'],
} as const;
const across = axisArray('x', 'mm', 'across', [-1, 1]);

describe('figures as CSV', () => {
  it('have one header line with units, and all digits', () => {
    expect(figureCsv([depth, dose])).toBe('depth_mm,dose_MeV_per_mm\n0.5,1\n1.5,2.5\n2.5,1e-7\n');
  });

  it('pad shorter curves with empty fields', () => {
    const other = axisArray('depth_2', 'mm', 'depth', [7]);
    const second = curveArray('dose_2', '', 'dose', 'depth_2', [9]);
    const lines = figureCsv([depth, dose, other, second]).split('\n');
    expect(lines[0]).toBe('depth_mm,dose_MeV_per_mm,depth_2_mm,dose_2');
    expect(lines[2]).toBe('1.5,2.5,,');
  });

  it('write a map with one row per sample of its vertical axis', () => {
    expect(figureCsv([across, depth, map])).toBe(
      [
        'x_mm,protons_protons_per_cell_at_depth_0.5_mm,protons_protons_per_cell_at_depth_1.5_mm,protons_protons_per_cell_at_depth_2.5_mm',
        '-1,1,2,3',
        '1,4,5,6',
        '',
      ].join('\n'),
    );
  });

  it('convert units and words to valid header text', () => {
    expect(unitName('MeV/mm²')).toBe('MeV_per_mm2');
    expect(identifier('θ – E')).toBe('theta_E');
    expect(identifier('σx at 3 mm')).toBe('sigmax_at_3_mm');
  });
});

/** Header and numbers of an NPY array. */
function npy(bytes: Uint8Array | undefined): { readonly header: string; readonly data: Uint8Array } {
  if (bytes === undefined) throw new Error('the archive lacks the array');
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint16(8, true);
  return { header: new TextDecoder().decode(bytes.subarray(10, 10 + length)), data: bytes.slice(10 + length) };
}

describe('figures as NPZ', () => {
  const files = unzipSync(figureNpz([across, depth, map], { run: 'Bone σ', step: 12 }));

  it('store each array with its type and shape, aligned for memory mapping', () => {
    expect(Object.keys(files).sort()).toEqual(['about.npy', 'depth.npy', 'protons.npy', 'x.npy']);
    const field = npy(files['protons.npy']);
    expect(field.header).toMatch(/^\{'descr': '<f4', 'fortran_order': False, 'shape': \(2, 3\), \} *\n$/);
    expect((field.header.length + 10) % 64).toBe(0);
    expect([...new Float32Array(field.data.buffer)]).toEqual([1, 2, 3, 4, 5, 6]);
    const axis = npy(files['depth.npy']);
    expect(axis.header).toContain("'descr': '<f8'");
    expect(axis.header).toContain("'shape': (3,)");
    expect([...new Float64Array(axis.data.buffer)]).toEqual([0.5, 1.5, 2.5]);
  });

  it('describe their contents as text, with units and axes', () => {
    const { header, data } = npy(files['about.npy']);
    const text = String.fromCodePoint(...new Uint32Array(data.buffer));
    expect(header).toContain(`'<U${[...text].length}'`);
    const about = JSON.parse(text) as Record<string, unknown>;
    expect(about).toMatchObject({ run: 'Bone σ', step: 12 });
    expect(about['arrays']).toMatchObject({ protons: { unit: 'protons per cell', axes: ['x', 'depth'] } });
  });
});

describe('combined figures', () => {
  it('store the arrays of every part separately, and are arranged in rows', () => {
    const part = { name: 'a', title: 'a', width: 100, height: 50, arrays: [depth, dose], notes: {}, paint: () => {} };
    const labels = ['z – x', 'θ – x', 'z – E'];
    const whole: Figure = combineFigures([part, part, part], { name: 'q', title: 'q', columns: 2, labels }, () => {});
    expect([whole.width, whole.height]).toEqual([200, 140]);
    expect(whole.arrays.map(({ name }) => name)).toEqual([
      'z_x_depth',
      'z_x_dose',
      'theta_x_depth',
      'theta_x_dose',
      'z_E_depth',
      'z_E_dose',
    ]);
    expect(whole.arrays[1]?.axes).toEqual(['z_x_depth']);
  });
});
