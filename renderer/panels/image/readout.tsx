/** The pixel under the crosshair: photons, indices, resolution. */
import type { ReactElement } from 'react';
import { fixed, significant } from '../../base/numbers.ts';
import { ImageFeed } from '../../data/image-feed.ts';
import { SHOWN } from '../../data/run-data.ts';
import { probe } from '../../drawing/field-probe.ts';
import { isReduced } from '../../drawing/field-statistics.ts';
import { shownPixel } from '../../state/image-view.ts';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import { shownScenario } from '../../workbench/shown-scenario.ts';
import { geometryOf } from './scene.ts';
import type { ImagePanelViewStore } from './store.ts';

const nearest = (index: number): string => fixed(Math.round(index), 0);

export function ImageReadout({ view }: { readonly view: ImagePanelViewStore }): ReactElement {
  const workbench = useWorkbench();
  const { stores, data, feeds } = workbench;
  const images = feeds.of(ImageFeed);
  const at = useSelected(stores.image, shownPixel);
  const pinned = useSelected(stores.image, (state) => state.hover === null && state.pinned !== null);
  const exact = useSelected(view, (state) => state.exact);
  const shown = useCached(images.data.image, SHOWN);
  // Read again when the run's scenario has come.
  useCached(data.reference, SHOWN);
  const resolved = shownScenario('diffraction', workbench);
  if (at === null || resolved === null) {
    return (
      <span className="panel-readout panel-readout--none image-readout">
        Point at the image to read a pixel; click to keep it.
      </span>
    );
  }
  const [fast, slow] = [Math.floor(at.fast), Math.floor(at.slow)];
  const place = geometryOf(resolved).at(fast + 0.5, slow + 0.5);
  const hit = shown === null ? null : probe(shown.map, at.fast, at.slow);
  const several = shown !== null && isReduced(shown.map);
  const read = several && exact?.fast === fast && exact.slow === slow ? exact.photons : null;
  const photons = read ?? hit?.value ?? null;
  return (
    <output className="panel-readout image-readout" aria-live="off" data-testid="image-readout">
      {pinned ? <span className="panel-readout__pin" title="Pinned; Esc takes it away" /> : null}
      <span>
        fast <b>{fast}</b> slow <b>{slow}</b>
      </span>
      <span title={several && read === null ? 'Of the pixels that the picture shows as one' : 'Of this pixel'}>
        <b>{photons === null ? '–' : significant(photons, 5)}</b> photons
      </span>
      <span title="Indices at the pixel's middle, and the nearest reflection">
        h k l <b>{[place.h, place.k, place.l].map((index) => fixed(index, 2)).join(' ')}</b> →{' '}
        {[place.h, place.k, place.l].map(nearest).join(' ')}
      </span>
      <span>
        <b>{place.resolution_A === null ? '∞' : significant(place.resolution_A, 4)}</b> Å
      </span>
      <span>
        2θ <b>{fixed(place.twotheta_deg, 2)}</b>°
      </span>
    </output>
  );
}
