/** X-ray diffraction on the command line. */

import type { ImageSummary } from '../../../contract/image.ts';
import { countText } from '../../../contract/units.ts';
import { imageSummary } from '../../../host/workloads/diffraction/summary.ts';
import { imageText } from '../../../host/workloads/diffraction/texts.ts';
import { duration, metric, short, significant, smallError } from '../../numbers.ts';
import { fitByName } from '../../read-scenario.ts';
import { pairs } from '../../table.ts';
import { runBy, type Solving } from '../solve.ts';
import { variantList, type Workload } from '../workload.ts';

// `braggbench run` of a diffraction scenario.

/** A diffraction image for a person. */
type Style = (style: 'bold' | 'dim' | 'green' | 'yellow', text: string) => string;

const angstrom = (value: number | null): string => (value !== null ? `${significant(value, 4)} Å` : 'straight ahead');

function imageReport(summary: ImageSummary, file: string | null, style: Style): readonly string[] {
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
    `${summary.variant}, ${summary.precision}, ${countText(summary.threads, 'thread')}, ${summary.isa}; ${imageText(image)}`,
    `${word}: ${metric(summary.terms)} lattice terms in ${duration(summary.wall_s)} (set-up ${duration(summary.setup_s)}, render ${duration(summary.solve_s)}${rate})`,
    '',
    ...pairs([
      ['Brightest', `${significant(image.max, 9)} photons at fast ${fast}, slow ${slow}`],
      ['', `h k l ${indices}, ${angstrom(brightest.resolution_A)}`],
      ['Sum', `${significant(image.sum, 12)} photons`],
      ['Mean', `${significant(image.mean, 6)} photons per pixel`],
      ['Above 1e-3', `${countText(image.bright_pixels, 'pixel')} of the brightest's`],
      ['Resolution', `${angstrom(resolution.edge)} at the edge, ${angstrom(resolution.corner)} in the corner`],
    ]),
    ...(file === null ? [] : ['', `Saved as ${file}`]),
  ];
}

const solvingDiffraction: Solving<'diffraction'> = {
  workload: 'diffraction',
  words: ({ terms_per_s }) => [`${metric(terms_per_s)} terms/s`],
  tell: (run) => {
    const summary = imageSummary(run);
    const lines = (file: string | null, style: Parameters<typeof imageReport>[2]) => imageReport(summary, file, style);
    return { document: summary, lines, status: summary.status, error: null };
  },
};

/** Error limit that its tests check it against. */
const errorText = (bright: number): string => (bright >= 1 ? 'wrong' : bright === 0 ? '–' : `≤ ${smallError(bright)}`);

export const diffraction: Workload = {
  fit: fitByName,
  run: runBy(solvingDiffraction),
  usual: (addon) => addon.diffractionVariants(),
  variants: (addon) =>
    variantList(addon.diffractionVariants(), [
      { title: 'Precision', text: ({ precision }) => precision },
      { title: 'Bright error', align: 'right', text: ({ brightError }) => errorText(brightError) },
      { title: 'FLOP', align: 'right', text: ({ flopsPerTerm }) => short(flopsPerTerm, 3) },
    ]),
  compare: null,
};
