/**
 * Drawing context that writes SVG: lines and text stay vectors, and a field is an embedded image. Implements the subset
 * in `Drawing2D`.
 */
import type { Drawing2D } from '../context-2d.ts';

type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

interface DrawingState {
  matrix: Matrix;
  fillStyle: string | CanvasGradient | CanvasPattern;
  strokeStyle: string | CanvasGradient | CanvasPattern;
  lineWidth: number;
  lineJoin: CanvasLineJoin;
  globalAlpha: number;
  font: string;
  textAlign: CanvasTextAlign;
  textBaseline: CanvasTextBaseline;
  imageSmoothingEnabled: boolean;
  dash: readonly number[];
  /** Id of the current clip path. */
  clip: string | null;
}

const INITIAL: DrawingState = {
  matrix: [1, 0, 0, 1, 0, 0],
  fillStyle: '#000000',
  strokeStyle: '#000000',
  lineWidth: 1,
  lineJoin: 'miter',
  globalAlpha: 1,
  font: '10px sans-serif',
  textAlign: 'start',
  textBaseline: 'alphabetic',
  imageSmoothingEnabled: true,
  dash: [],
  clip: null,
};

/** Rounds to a hundredth of a pixel, which is below any screen's or printer's resolution. */
const round = (value: number): string => String(Math.round(value * 100) / 100);

const escapeXmlText = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign);

const anchors: Readonly<Record<string, string>> = { center: 'middle', right: 'end', end: 'end' };
/** SVG viewers differ in `dominant-baseline`, so text is shifted by a share of the font size instead. */
const shifts: Readonly<Record<string, number>> = { top: 0.8, hanging: 0.8, middle: 0.35, bottom: -0.2 };

interface SvgOptions {
  /** Prefix of identifiers in the file, so that several files can be embedded in one document. */
  readonly id: string;
  readonly width: number;
  readonly height: number;
  /** Width of a text in a CSS font, in pixels. */
  readonly measure: (text: string, font: string) => number;
  /** Part of a canvas as a PNG in a data URL. */
  readonly imageUrl: (image: HTMLCanvasElement, sx: number, sy: number, sw: number, sh: number) => string;
}

export class SvgContext {
  readonly #options: SvgOptions;
  readonly #defs: string[] = [];
  readonly #body: string[] = [];
  readonly #stack: DrawingState[] = [];
  #state: DrawingState = { ...INITIAL };
  #path = '';

  constructor(options: SvgOptions) {
    this.#options = options;
  }

  /** This object as the type that drawing code accepts. */
  get drawing(): Drawing2D {
    return this as unknown as Drawing2D;
  }

  /** Text of the SVG file. */
  text(title: string): string {
    const { width, height } = this.#options;
    const size = `width="${round(width)}" height="${round(height)}" viewBox="0 0 ${round(width)} ${round(height)}"`;
    const defs = this.#defs.length === 0 ? '' : `<defs>\n${this.#defs.join('\n')}\n</defs>\n`;
    const head = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${size}>`;
    return `${head}\n<title>${escapeXmlText(title)}</title>\n${defs}${this.#body.join('\n')}\n</svg>\n`;
  }

  save(): void {
    this.#stack.push({ ...this.#state });
  }

  restore(): void {
    this.#state = this.#stack.pop() ?? this.#state;
  }

  translate(x: number, y: number): void {
    this.#multiply([1, 0, 0, 1, x, y]);
  }

  scale(x: number, y: number): void {
    this.#multiply([x, 0, 0, y, 0, 0]);
  }

  rotate(angle: number): void {
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    this.#multiply([cos, sin, -sin, cos, 0, 0]);
  }

  getTransform(): { readonly a: number; readonly d: number } {
    // SVG has no device pixels, so images are made for twice the screen resolution.
    return { a: 2, d: 2 };
  }

  beginPath(): void {
    this.#path = '';
  }

  closePath(): void {
    this.#path += 'Z';
  }

  moveTo(x: number, y: number): void {
    this.#path += `M${this.#point(x, y)}`;
  }

  lineTo(x: number, y: number): void {
    this.#path += `${this.#path === '' ? 'M' : 'L'}${this.#point(x, y)}`;
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.#path += this.#rectangle(x, y, width, height);
  }

  arc(x: number, y: number, radius: number, from: number, to: number): void {
    // Approximate arcs by short chords. They are exact enough at any figure size, and need none of the flags of SVG
    // arcs.
    const steps = Math.max(8, Math.ceil((Math.abs(to - from) / (2 * Math.PI)) * 48));
    for (let i = 0; i <= steps; i += 1) {
      const angle = from + ((to - from) * i) / steps;
      this.lineTo(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
    }
  }

  clip(): void {
    const id = `${this.#options.id}-clip${this.#defs.length + 1}`;
    const outer = this.#state.clip === null ? '' : ` clip-path="url(#${this.#state.clip})"`;
    this.#defs.push(`<clipPath id="${id}"><path d="${this.#path}"${outer}/></clipPath>`);
    this.#state.clip = id;
  }

  fill(): void {
    this.#element('path', `d="${this.#path}" ${this.#fillOf()}`);
  }

  stroke(): void {
    this.#element('path', `d="${this.#path}" fill="none" ${this.#strokeOf()}`);
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.#element('path', `d="${this.#rectangle(x, y, width, height)}" ${this.#fillOf()}`);
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    this.#element('path', `d="${this.#rectangle(x, y, width, height)}" fill="none" ${this.#strokeOf()}`);
  }

  fillText(text: string, x: number, y: number): void {
    this.#text(text, x, y, this.#fillOf());
  }

  strokeText(text: string, x: number, y: number): void {
    this.#text(text, x, y, `fill="none" ${this.#strokeOf()}`);
  }

  measureText(text: string): { readonly width: number } {
    return { width: this.#options.measure(text, this.#state.font) };
  }

  setLineDash(dash: readonly number[]): void {
    this.#state.dash = [...dash];
  }

  drawImage(
    image: HTMLCanvasElement,
    sx: number,
    sy: number,
    sw: number,
    sh: number,
    x: number,
    y: number,
    width: number,
    height: number,
  ): void {
    const { matrix, imageSmoothingEnabled } = this.#state;
    const place = `transform="matrix(${matrix.map(round).join(' ')})"`;
    const look = imageSmoothingEnabled ? '' : ' style="image-rendering:pixelated" image-rendering="optimizeSpeed"';
    const box = `x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"`;
    const url = this.#options.imageUrl(image, sx, sy, sw, sh);
    this.#element('image', `${place} ${box} preserveAspectRatio="none"${look} xlink:href="${url}" href="${url}"`);
  }

  get fillStyle(): DrawingState['fillStyle'] {
    return this.#state.fillStyle;
  }
  set fillStyle(value: DrawingState['fillStyle']) {
    this.#state.fillStyle = value;
  }
  get strokeStyle(): DrawingState['strokeStyle'] {
    return this.#state.strokeStyle;
  }
  set strokeStyle(value: DrawingState['strokeStyle']) {
    this.#state.strokeStyle = value;
  }
  get lineWidth(): number {
    return this.#state.lineWidth;
  }
  set lineWidth(value: number) {
    this.#state.lineWidth = value;
  }
  get lineJoin(): CanvasLineJoin {
    return this.#state.lineJoin;
  }
  set lineJoin(value: CanvasLineJoin) {
    this.#state.lineJoin = value;
  }
  get globalAlpha(): number {
    return this.#state.globalAlpha;
  }
  set globalAlpha(value: number) {
    this.#state.globalAlpha = value;
  }
  get font(): string {
    return this.#state.font;
  }
  set font(value: string) {
    this.#state.font = value;
  }
  get textAlign(): CanvasTextAlign {
    return this.#state.textAlign;
  }
  set textAlign(value: CanvasTextAlign) {
    this.#state.textAlign = value;
  }
  get textBaseline(): CanvasTextBaseline {
    return this.#state.textBaseline;
  }
  set textBaseline(value: CanvasTextBaseline) {
    this.#state.textBaseline = value;
  }
  get imageSmoothingEnabled(): boolean {
    return this.#state.imageSmoothingEnabled;
  }
  set imageSmoothingEnabled(value: boolean) {
    this.#state.imageSmoothingEnabled = value;
  }

  #multiply([a, b, c, d, e, f]: Matrix): void {
    const [A, B, C, D, E, F] = this.#state.matrix;
    this.#state.matrix = [
      A * a + C * b,
      B * a + D * b,
      A * c + C * d,
      B * c + D * d,
      A * e + C * f + E,
      B * e + D * f + F,
    ];
  }

  /**
   * Transforms a point to the units of the file. Paths then need no transformation, so their line width is unchanged.
   */
  #point(x: number, y: number): string {
    const [a, b, c, d, e, f] = this.#state.matrix;
    return `${round(a * x + c * y + e)} ${round(b * x + d * y + f)}`;
  }

  #rectangle(x: number, y: number, width: number, height: number): string {
    const corners = [
      [x, y],
      [x + width, y],
      [x + width, y + height],
      [x, y + height],
    ] as const;
    return `M${corners.map(([h, v]) => this.#point(h, v)).join('L')}Z`;
  }

  #fillOf(): string {
    return `fill="${this.#color(this.#state.fillStyle)}"${this.#opacity()}`;
  }

  #strokeOf(): string {
    const { lineWidth, lineJoin, dash, strokeStyle } = this.#state;
    const dashes = dash.length === 0 ? '' : ` stroke-dasharray="${dash.map(round).join(' ')}"`;
    const join = lineJoin === 'miter' ? '' : ` stroke-linejoin="${lineJoin}"`;
    return `stroke="${this.#color(strokeStyle)}" stroke-width="${round(lineWidth)}"${join}${dashes}${this.#opacity()}`;
  }

  #opacity(): string {
    return this.#state.globalAlpha === 1 ? '' : ` opacity="${round(this.#state.globalAlpha)}"`;
  }

  #color(style: DrawingState['fillStyle']): string {
    if (typeof style !== 'string') throw new Error('gradients are not drawn into SVG');
    return escapeXmlText(style);
  }

  #text(text: string, x: number, y: number, paint: string): void {
    const { font, textAlign, textBaseline, matrix } = this.#state;
    const parsed = /^(?:(\d{3}|bold|normal)\s+)?([\d.]+)px\s+(.*)$/.exec(font);
    const [weight, size, family] = [parsed?.[1], Number(parsed?.[2] ?? 10), parsed?.[3] ?? 'sans-serif'];
    const anchor = anchors[textAlign];
    const look = [
      `font-family="${escapeXmlText(family.replace(/"/g, "'"))}"`,
      `font-size="${round(size)}"`,
      ...(weight === undefined ? [] : [`font-weight="${weight}"`]),
      ...(anchor === undefined ? [] : [`text-anchor="${anchor}"`]),
    ].join(' ');
    const at = `x="${round(x)}" y="${round(y + (shifts[textBaseline] ?? 0) * size)}"`;
    const place = `transform="matrix(${matrix.map((m) => String(Math.round(m * 1e4) / 1e4)).join(' ')})"`;
    const clip = this.#clipOf();
    this.#body.push(`<g${clip}><text ${place} ${at} ${look} ${paint}>${escapeXmlText(text)}</text></g>`);
  }

  #clipOf(): string {
    return this.#state.clip === null ? '' : ` clip-path="url(#${this.#state.clip})"`;
  }

  #element(name: string, attributes: string): void {
    const clip = this.#clipOf();
    // Clip on a group, because an image's own transformation would move the clip path too.
    if (name === 'image') this.#body.push(`<g${clip}><image ${attributes}/></g>`);
    else this.#body.push(`<${name} ${attributes}${clip}/>`);
  }
}
