import { describe, expect, it } from 'vitest';
import { drawHorizontalAxis } from '../../../../renderer/drawing/axes.ts';
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
  it('writes lines in the place that the transformations give them, at their own width', () => {
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

  it('embeds the part of an image that is drawn, without smoothing where cells are to be seen', () => {
    const context = svg();
    context.imageSmoothingEnabled = false;
    context.drawImage({} as HTMLCanvasElement, 1, 2, 3, 4, 10, 20, 30, 40);
    const text = context.text('t');
    expect(text).toContain('x="10" y="20" width="30" height="40"');
    expect(text).toContain('href="data:image/png;base64,1-2-3-4"');
    expect(text).toContain('image-rendering:pixelated');
  });

  it('keeps text as text, with what XML needs escaped', () => {
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

  it('takes the drawings of the page: an axis with ticks, labels and its unit', () => {
    const context = svg();
    const box = { left: 20, top: 5, width: 160, height: 60 };
    drawHorizontalAxis(context.drawing, box, linearScale(0, 40, 20, 180), 'Depth z', 'mm', theme);
    const text = context.text('t');
    for (const label of ['>0<', '>20<', '>40<', '>Depth z (mm)<']) expect(text).toContain(label);
  });
});
