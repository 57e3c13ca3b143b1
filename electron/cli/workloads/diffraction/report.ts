/** A diffraction image for a person. */
import type { ImageSummary } from '../../../contract/image.ts';
import { duration, metric, significant } from '../../numbers.ts';
import { pairs } from '../../table.ts';

type Style = (style: 'bold' | 'dim' | 'green' | 'yellow', text: string) => string;

interface Size {
  readonly width: number;
  readonly height: number;
  readonly oversample: number;
  readonly sources: number;
  readonly orientations: number;
  readonly layers: number;
}

const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** `1024 × 1024 pixels of 2 × 2 sub-pixels, 1 source, 4 orientations`. */
export function sizeText({ width, height, oversample, sources, orientations, layers }: Size): string {
  const sub = oversample === 1 ? '' : ` of ${oversample} × ${oversample} sub-pixels`;
  const deep = layers === 1 ? '' : `, ${layers} layers`;
  return `${width} × ${height} pixels${sub}${deep}, ${plural(sources, 'source')}, ${plural(orientations, 'orientation')}`;
}

const angstrom = (value: number | null): string => (value !== null ? `${significant(value, 4)} Å` : 'straight ahead');

export function imageReport(summary: ImageSummary, file: string | null, style: Style): readonly string[] {
  const { image, brightest, resolution_A: resolution, status, done } = summary;
  const word =
    status === 'done'
      ? style('green', 'done')
      : style('yellow', `interrupted, ${Math.floor(100 * done)} % of the image`);
  const perTerm = summary.ns_per_term === null ? '' : `, ${significant(summary.ns_per_term, 3)} ns per term`;
  const onDevice = summary.device_s === null ? '' : `, ${duration(summary.device_s)} of it on the GPU`;
  const rate = summary.device_s === null && perTerm !== '' ? `${perTerm} and core` : `${onDevice}${perTerm}`;
  const { h, k, l, fast, slow } = brightest;
  const indices = [h, k, l].map((index) => index.toFixed(2)).join(' ');
  return [
    style('bold', summary.scenario),
    `${summary.variant}, ${summary.precision}, ${plural(summary.threads, 'thread')}, ${summary.isa}; ${sizeText(image)}`,
    `${word}: ${metric(summary.terms)} lattice terms in ${duration(summary.wall_s)} (set-up ${duration(summary.setup_s)}, render ${duration(summary.solve_s)}${rate})`,
    '',
    ...pairs([
      ['Brightest', `${significant(image.max, 9)} photons at fast ${fast}, slow ${slow}`],
      ['', `h k l ${indices}, ${angstrom(brightest.resolution_A)}`],
      ['Sum', `${significant(image.sum, 12)} photons`],
      ['Mean', `${significant(image.mean, 6)} photons per pixel`],
      ['Above 1e-3', `${plural(image.bright_pixels, 'pixel')} of the brightest's`],
      ['Resolution', `${angstrom(resolution.edge)} at the edge, ${angstrom(resolution.corner)} in the corner`],
    ]),
    ...(file === null ? [] : ['', `Saved as ${file}`]),
  ];
}
