/** X-ray diffraction in the page, with readouts of a finished run. */
import type { ReactElement } from 'react';
import type { ImageSummary } from '../../../electron/contract/image.ts';
import {
  compactCount,
  count,
  duration,
  fixedDigits,
  NO_VALUE,
  percent,
  significant,
} from '../../../electron/domain/numbers.ts';
import { formatBytes } from '../../../electron/domain/values/units.ts';
import { ImageFeed } from '../../data/image-feed.ts';
import { SHOWN_KEY } from '../../data/run-data.ts';
import { Readouts } from '../../widgets/plots/readout.tsx';
import { linkedImage } from '../../workbench/actions/linked-map.ts';
import { useCached, useWorkbench } from '../../workbench/context.ts';
import type { PageWorkload } from '../../workbench/workload.ts';
import { NoResultsYet } from '../no-results.tsx';

const angstrom = (value: number | null): string => (value === null ? 'straight ahead' : `${significant(value, 4)} Å`);

function BrightestReadouts({ summary: { image, brightest } }: { readonly summary: ImageSummary }): ReactElement {
  const { fast, slow, h, k, l, resolution_A } = brightest;
  return (
    <dl className="range-head grid rounded sunken">
      <div className="range-head__main" title="Largest pixel (the first, if several are equal)">
        <dt>Brightest</dt>
        <dd className="selectable" data-testid="brightest">
          {significant(image.max, 6)} <small>photons</small>
        </dd>
      </div>
      <div title="Fast and slow pixel, counted from 0">
        <dt>At</dt>
        <dd className="selectable">
          {fast}, {slow}
        </dd>
      </div>
      <div title={`Its h k l and resolution: ${angstrom(resolution_A)}`}>
        <dt>h k l</dt>
        <dd className="selectable">{[h, k, l].map((index) => fixedDigits(index, 2)).join(' ')}</dd>
      </div>
    </dl>
  );
}

function ImageResults(): ReactElement {
  const images = useWorkbench().feeds.of(ImageFeed);
  const summary = useCached(images.data.summary, SHOWN_KEY);
  if (summary === null) return <NoResultsYet feed={images} />;
  const {
    image,
    resolution_A: resolution,
    terms,
    ns_per_term,
    solve_s,
    device_s,
    setup_s,
    wall_s,
    threads,
    isa,
  } = summary;
  return (
    <div className="run-results grid">
      <BrightestReadouts summary={summary} />
      <Readouts
        items={[
          { name: 'Sum', value: significant(image.sum, 6), title: 'Sum of photons in all pixels' },
          { name: 'Mean', value: significant(image.mean, 4), title: 'Photons per pixel' },
          {
            name: 'Bright',
            value: count(image.bright_pixels),
            unit: image.bright_pixels === 1 ? 'pixel' : 'pixels',
            title: 'Pixels above a thousandth of the largest',
          },
          { name: 'Edge', value: angstrom(resolution.edge), title: 'Resolution at the edge nearest to the beam' },
          { name: 'Corner', value: angstrom(resolution.corner), title: 'Resolution in the farthest corner' },
        ]}
      />
      <Readouts
        items={[
          {
            name: 'Render',
            value: duration(solve_s),
            title: `Set-up ${duration(setup_s)}, total ${duration(wall_s)}`,
          },
          ...(device_s === null
            ? []
            : [
                {
                  name: 'On the GPU',
                  value: duration(device_s),
                  title: 'Measured by the clock of the device, without the copy to the host',
                },
              ]),
          { name: 'Terms', value: compactCount(terms), title: 'Lattice factors computed' },
          {
            name: 'Per term',
            value: ns_per_term === null ? NO_VALUE : significant(ns_per_term, 3),
            unit: 'ns',
            title:
              device_s === null
                ? `Per lattice factor and thread; ${threads} ${threads === 1 ? 'thread' : 'threads'}, ${isa}`
                : 'Per lattice factor, on the GPU',
          },
          {
            name: 'Memory',
            value: formatBytes(summary.state_bytes),
            title: 'The image, and the variant that computes it',
          },
        ]}
      />
    </div>
  );
}

export const diffraction: PageWorkload<'diffraction'> = {
  panels: ['image', 'peaks', 'refine'],
  mainPanel: 'image',
  feed: (feeds) => feeds.of(ImageFeed),
  words: ({ done }) => [`${percent(done)} of the image`],
  progress: ({ done, terms_per_s }) => [
    { name: 'Image', value: percent(done), title: 'Share of the pixels computed so far' },
    { name: 'Terms per s', value: compactCount(terms_per_s), title: 'Lattice factors computed per second' },
  ],
  facts: ({ width, height, oversample, sources, orientations, layers, terms, reflections }) => [
    { name: 'Image', value: `${count(width)} × ${count(height)} pixels` },
    {
      name: 'Samples per pixel',
      value: [`${oversample} × ${oversample}`, sources, orientations, layers].join(' · '),
      title: 'Sub-pixels · sources · orientations · sensor layers',
    },
    { name: 'Lattice terms', value: compactCount(terms), title: 'Lattice factors in the image' },
    ...(reflections === 0 ? [] : [{ name: 'Reflections', value: count(reflections) }]),
  ],
  Results: ImageResults,
  plane: ({ image }) => ({
    horizontal: { title: 'Fast', unit: 'pixels' },
    vertical: { title: 'Slow', unit: 'pixels' },
    quantity: 'Photons',
    pixels: true,
    scale: 'log',
    least: 1e-6,
    ...linkedImage(image),
    subscribe: (listener) => image.subscribe(listener),
  }),
  Extra: null,
};
