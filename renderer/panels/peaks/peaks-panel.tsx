/** Brightest spots of the shown image; selecting a spot zooms the image to it. */
import type { ReactElement } from 'react';
import { fixedDigits, significant } from '../../../electron/domain/numbers.ts';
import { SHOWN_KEY } from '../../data/run-data.ts';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import './peaks-panel.css';
import { ImageFeed } from '../../data/image-feed.ts';
import { PanelOffer, RunOffer } from '../../workbench/offers.tsx';

/** Pixels around a spot to which the image zooms. */
const WINDOW = 13;

export default function PeaksPanel(): ReactElement {
  const { stores, feeds } = useWorkbench();
  const images = feeds.of(ImageFeed);
  const peaks = useCached(images.data.peaks, SHOWN_KEY);
  const pinned = useSelected(stores.image, (state) => state.pinned);
  if (peaks === null || peaks.length === 0) {
    return (
      <div className="peaks-panel scroll wide">
        <EmptyState
          icon="list"
          title={peaks === null ? 'No peaks yet' : 'This image has no peak'}
          action={
            peaks === null ? (
              <RunOffer />
            ) : (
              <PanelOffer
                panel="image"
                icon="map"
                label="After a run, this panel lists its fifty brightest spots with positions and indices."
              />
            )
          }
        >
          {peaks === null
            ? 'After a run, this panel lists its fifty brightest spots with their positions and Miller indices.'
            : 'No pixel is brighter than its neighbours.'}
        </EmptyState>
      </div>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
    <section className="peaks-panel scroll wide" aria-label="Brightest spots" tabIndex={0}>
      <table className="wide">
        <caption className="visually-hidden">The brightest spots, the brightest first</caption>
        <thead>
          <tr>
            <th scope="col">Pixel</th>
            <th scope="col">Photons</th>
            <th scope="col">h k l</th>
            <th scope="col" title="Resolution">
              Å
            </th>
          </tr>
        </thead>
        <tbody>
          {peaks.map(({ pixel, fast, slow, photons, h, k, l, resolution_A }) => {
            const [x, y] = pixel;
            const here = pinned !== null && Math.floor(pinned.fast) === x && Math.floor(pinned.slow) === y;
            return (
              <tr key={`${x} ${y}`} data-selected={here}>
                <td>
                  <button
                    type="button"
                    aria-pressed={here}
                    title={`Centroid ${fixedDigits(fast, 2)}, ${fixedDigits(slow, 2)}: show it`}
                    onClick={() => stores.image.centreOn({ fast: x + 0.5, slow: y + 0.5 }, WINDOW)}
                  >
                    {x}, {y}
                  </button>
                </td>
                <td className="selectable">{significant(photons, 5)}</td>
                <td className="selectable">{[h, k, l].map((index) => fixedDigits(index, 2)).join(' ')}</td>
                <td className="selectable">{resolution_A === null ? '∞' : significant(resolution_A, 4)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
