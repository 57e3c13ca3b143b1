/** A figure as SVG text: the same bytes for the same figure, wherever it is written. */
import { type Figure, type Ink, type Point, paper, type Shape } from './figure.ts';

const FAMILY = "Inter, system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Hundredths of a pixel: finer is not seen, and coarser shows in curves. */
function pixel(value: number): string {
  const rounded = Math.round(value * 100) / 100;
  return String(Object.is(rounded, -0) ? 0 : rounded);
}

export function pathOf(points: readonly Point[]): string {
  return points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${pixel(x)} ${pixel(y)}`).join('');
}

const inkOf = (ink: Ink): string => paper[ink] ?? '#000000';
const dashed = (dash: readonly number[] | undefined): string =>
  dash === undefined || dash.length === 0 ? '' : ` stroke-dasharray="${dash.join(' ')}"`;
const faint = (opacity: number | undefined): string => (opacity === undefined ? '' : ` opacity="${pixel(opacity)}"`);
const tipped = (tag: string, attributes: string, tip: string | undefined): string =>
  tip === undefined ? `<${tag} ${attributes}/>` : `<${tag} ${attributes}><title>${escapeXml(tip)}</title></${tag}>`;

function shapeText(shape: Shape): string {
  switch (shape.kind) {
    case 'line': {
      const { from, to, ink, width = 1, dash } = shape;
      const ends = `x1="${pixel(from[0])}" y1="${pixel(from[1])}" x2="${pixel(to[0])}" y2="${pixel(to[1])}"`;
      return `<line ${ends} stroke="${inkOf(ink)}" stroke-width="${width}"${dashed(dash)}/>`;
    }
    case 'path': {
      const { points, ink, width = 1.5, dash } = shape;
      const stroke = `stroke="${inkOf(ink)}" stroke-width="${width}" stroke-linejoin="round"`;
      return `<path d="${pathOf(points)}" fill="none" ${stroke}${dashed(dash)}/>`;
    }
    case 'area':
      return `<path d="${pathOf(shape.points)}Z" fill="${inkOf(shape.ink)}"${faint(shape.opacity)}/>`;
    case 'rect': {
      const { x, y, width, height, ink, opacity, tip } = shape;
      const box = `x="${pixel(x)}" y="${pixel(y)}" width="${pixel(width)}" height="${pixel(height)}"`;
      return tipped('rect', `${box} fill="${inkOf(ink)}"${faint(opacity)}`, tip);
    }
    case 'frame': {
      const { x, y, width, height, ink } = shape;
      const box = `x="${pixel(x)}" y="${pixel(y)}" width="${pixel(width)}" height="${pixel(height)}"`;
      return `<rect ${box} fill="none" stroke="${inkOf(ink)}"/>`;
    }
    case 'dot': {
      const { at, radius: r, ink, form = 'round', opacity, tip } = shape;
      const color = inkOf(ink);
      if (form === 'square') {
        const side = `x="${pixel(at[0] - r)}" y="${pixel(at[1] - r)}" width="${pixel(2 * r)}" height="${pixel(2 * r)}"`;
        return tipped('rect', `${side} fill="${color}"${faint(opacity)}`, tip);
      }
      const fill = form === 'ring' ? `fill="none" stroke="${color}" stroke-width="1.5"` : `fill="${color}"`;
      return tipped(
        'circle',
        `cx="${pixel(at[0])}" cy="${pixel(at[1])}" r="${pixel(r)}" ${fill}${faint(opacity)}`,
        tip,
      );
    }
    case 'text': {
      const { at, text, ink, size, anchor = 'start', bold = false, upright = false } = shape;
      const turn = upright ? ` transform="rotate(-90 ${pixel(at[0])} ${pixel(at[1])})"` : '';
      const place = `x="${pixel(at[0])}" y="${pixel(at[1])}" font-size="${pixel(size)}" fill="${inkOf(ink)}"`;
      const weight = bold ? ' font-weight="600"' : '';
      return `<text ${place} text-anchor="${anchor}"${weight}${turn}>${escapeXml(text)}</text>`;
    }
    case 'image': {
      const { x, y, width, height, href } = shape;
      const box = `x="${pixel(x)}" y="${pixel(y)}" width="${pixel(width)}" height="${pixel(height)}"`;
      return `<image ${box} preserveAspectRatio="none" image-rendering="pixelated" href="${href}"/>`;
    }
  }
}

/** `background`: a light ground of its own, for files that are shown by themselves. */
export function figureSvg(
  { width, height, title, shapes }: Figure,
  { background }: { readonly background: boolean },
): string {
  const size = `width="${pixel(width)}" height="${pixel(height)}" viewBox="0 0 ${pixel(width)} ${pixel(height)}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" font-family="${FAMILY}">`,
    `<title>${escapeXml(title)}</title>`,
    ...(background ? [`<rect width="${pixel(width)}" height="${pixel(height)}" fill="#ffffff"/>`] : []),
    ...shapes.map(shapeText),
    '</svg>',
    '',
  ].join('\n');
}
