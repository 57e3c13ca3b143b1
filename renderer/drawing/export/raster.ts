/** Renders a figure as PNG and as SVG, on the page's background, with the title above. */
import type { Drawing2D } from '../context-2d.ts';
import { type DrawingTheme, readDrawingTheme } from '../theme.ts';
import type { Figure } from './figure.ts';
import { SvgContext } from './svg-context.ts';

/** Device pixels per CSS pixel of a PNG, for sharp print at the on-screen size. */
const PNG_SCALE = 2;
const MARGIN = 10;
const TITLE_LINES = 2;

type PaintedFigure = Extract<Figure, { paint: unknown }>;

function fontOf(theme: DrawingTheme, weight = ''): string {
  return `${weight}${theme.labelSize}px ${theme.family}`;
}

/** Draws a heading; `combineFigures` also uses it above its parts. */
export function paintHeading(context: Drawing2D, text: string, x: number, y: number): void {
  const theme = readDrawingTheme();
  context.font = fontOf(theme, '600 ');
  context.fillStyle = theme.text;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(text, x, y);
}

function sheetLayout({ width, height }: Figure, theme: DrawingTheme) {
  const top = MARGIN + theme.labelSize * TITLE_LINES;
  return { width: Math.ceil(width + 2 * MARGIN), height: Math.ceil(height + top + MARGIN), top };
}

function paintSheet(context: Drawing2D, figure: PaintedFigure, theme: DrawingTheme): void {
  const sheet = sheetLayout(figure, theme);
  context.fillStyle = theme.paper;
  context.fillRect(0, 0, sheet.width, sheet.height);
  context.font = fontOf(theme, '600 ');
  context.fillStyle = theme.text;
  context.textAlign = 'left';
  context.textBaseline = 'top';
  context.fillText(figure.title, MARGIN, MARGIN);
  context.translate(MARGIN, sheet.top);
  figure.paint(context);
}

function canvasOf(width: number, height: number): readonly [HTMLCanvasElement, CanvasRenderingContext2D] {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width));
  canvas.height = Math.max(1, Math.round(height));
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('this page cannot draw on a canvas');
  return [canvas, context];
}

function imageUrl(image: HTMLCanvasElement, sx: number, sy: number, sw: number, sh: number): string {
  const [part, context] = canvasOf(sw, sh);
  context.drawImage(image, sx, sy, sw, sh, 0, 0, part.width, part.height);
  return part.toDataURL('image/png');
}

let clipCount = 0;

/** FNV-1a hash of the text, so that figures of different documents hardly ever share an id. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash.toString(36);
}

export async function figureSvg(figure: Figure): Promise<string> {
  if ('svg' in figure) return figure.svg();
  const theme = readDrawingTheme();
  const { width, height } = sheetLayout(figure, theme);
  const [, ruler] = canvasOf(1, 1);
  clipCount += 1;
  const svg = new SvgContext({
    id: `bb-${hashOf(figure.title)}-${clipCount}`,
    width,
    height,
    imageUrl,
    measure: (text, font) => {
      ruler.font = font;
      return ruler.measureText(text).width;
    },
  });
  paintSheet(svg.drawing, figure, theme);
  return svg.text(figure.title);
}

async function pngBytes(canvas: HTMLCanvasElement): Promise<Uint8Array<ArrayBuffer>> {
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob === null) throw new Error('the figure is too large for an image');
  return new Uint8Array(await blob.arrayBuffer());
}

/** Draws the SVG by means of the browser, for figures that cannot draw on a context. */
async function rasterizeSvg(svg: string, { width, height }: Figure): Promise<Uint8Array<ArrayBuffer>> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const [canvas, context] = canvasOf(width * PNG_SCALE, height * PNG_SCALE);
  context.fillStyle = readDrawingTheme().paper;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return pngBytes(canvas);
}

export async function figurePng(figure: Figure): Promise<Uint8Array<ArrayBuffer>> {
  if ('svg' in figure) return rasterizeSvg(await figure.svg(), figure);
  const theme = readDrawingTheme();
  const { width, height } = sheetLayout(figure, theme);
  const [canvas, context] = canvasOf(width * PNG_SCALE, height * PNG_SCALE);
  context.scale(PNG_SCALE, PNG_SCALE);
  paintSheet(context, figure, theme);
  return pngBytes(canvas);
}
