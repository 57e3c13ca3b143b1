/** X-ray diffraction in the page. */
import { linkedImage } from '../../actions/linked-map.ts';
import { compact, count, percent } from '../../base/numbers.ts';
import { ImageFeed } from '../../data/image-feed.ts';
import type { PageWorkload } from '../../workbench/workload.ts';
import { ImageResults } from './results.tsx';

export const diffraction: PageWorkload<'diffraction'> = {
  panels: ['image', 'peaks', 'refine'],
  mainPanel: 'image',
  feed: (feeds) => feeds.of(ImageFeed),
  words: ({ done }) => [`${percent(done)} of the image`],
  progress: ({ done, terms_per_s }) => [
    { name: 'Image', value: percent(done), title: 'Share of the pixels that are there' },
    { name: 'Terms per s', value: compact(terms_per_s), title: 'Lattice factors computed in a second' },
  ],
  facts: ({ width, height, oversample, sources, orientations, layers, terms, reflections }) => [
    { name: 'Image', value: `${count(width)} × ${count(height)} pixels` },
    {
      name: 'Of each pixel',
      value: [`${oversample} × ${oversample}`, sources, orientations, layers].join(' · '),
      title: 'Sub-pixels · sources · orientations · sensor layers',
    },
    { name: 'Lattice terms', value: compact(terms), title: 'Lattice factors in the image' },
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
