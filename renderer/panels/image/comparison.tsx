/** Selects the run that the image is compared with, and shows how far the two deviate. */
import { type ReactElement, useMemo } from 'react';
import { BRIGHT_PARITY } from '../../../electron/contract/image.ts';
import type { RunInfo } from '../../../electron/contract/run.ts';
import { formatError } from '../../../electron/domain/numbers.ts';
import { latestRequest } from '../../base/latest-request.ts';
import { ImageFeed } from '../../data/image-feed.ts';
import { SHOWN_KEY } from '../../data/run-data.ts';
import { hasEnded, runOf } from '../../state/runs.ts';
import { Select } from '../../widgets/controls/select.tsx';
import { PopoverRow } from '../../widgets/floating/popover.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import { MIN_SHOWN_SHARE } from './scene.ts';
import type { ImagePanelViewStore } from './store.ts';

interface MatchProps {
  readonly view: ImagePanelViewStore;
  readonly logarithmic: boolean;
}

/** Finished images except the shown one. */
function useOtherImages(): readonly RunInfo[] {
  const { stores } = useWorkbench();
  const selected = useSelected(stores.selection, (state) => state.run);
  const runs = useSelected(stores.runs, (state) => state.runs);
  return runs.filter(
    ({ id, workload, state, error }) =>
      workload === 'diffraction' && id !== selected && hasEnded(state) && error === null,
  );
}

export function SubtractedRunRow({ view }: { readonly view: ImagePanelViewStore }): ReactElement {
  const against = useSelected(view, (state) => state.against);
  const others = useOtherImages();
  return (
    <>
      <PopoverRow name="Less">
        <Select
          label="Run to subtract from the image"
          value={against ?? ''}
          options={[
            { value: '', label: 'nothing' },
            ...others.map(({ id, name, variant, size }) => ({ value: id, label: `${name} · ${variant} · ${size}` })),
          ]}
          onChange={(run) => view.setState({ against: run === '' ? null : run, limits: null, mark: null })}
        />
      </PopoverRow>
      {others.length === 0 ? <p className="popover__note">Another finished image can be shown here.</p> : null}
    </>
  );
}

/**
 * Button that gives this image and another one the same colour range. Both then use that range, whichever is selected.
 */
export function MatchRangeRow({ view, logarithmic }: MatchProps): ReactElement | null {
  const { client, stores, feeds } = useWorkbench();
  const images = feeds.of(ImageFeed);
  const against = useSelected(view, (state) => state.against);
  const others = useOtherImages();
  const shown = useCached(images.data.image, SHOWN_KEY);
  const ask = useMemo(latestRequest, []);
  // A difference has limits around zero, so matching does not apply.
  if (against !== null || shown === null || others.length === 0) return null;
  const match = async (run: string): Promise<void> => {
    const isLast = ask();
    try {
      const whole = { viewport: { horizontal: null, vertical: null, pixels: [1, 1] as [number, number] } };
      const { map } = await client.call('image.view', { run, view: whole, against: null });
      // Ignore the response if another match was requested meanwhile, or a difference is shown.
      if (!isLast() || view.getState().against !== null) return;
      const high = Math.max(map.max, shown.map.max);
      const low = logarithmic ? high * MIN_SHOWN_SHARE : Math.min(map.min, shown.map.min);
      view.setState({ limits: { low, high } });
    } catch (error) {
      stores.notices.fail('The limits could not be matched', error);
    }
  };
  return (
    <PopoverRow name="Match">
      <Select
        label="Image to match the limits with"
        value=""
        options={[
          { value: '', label: 'limits of both with …' },
          ...others.map(({ id, name, variant, size }) => ({ value: id, label: `${name} · ${variant} · ${size}` })),
        ]}
        onChange={(run) => void (run === '' ? undefined : match(run))}
      />
    </PopoverRow>
  );
}

/**
 * Four error metrics next to the difference, because a single metric can hide a bright pixel that is wrong by half.
 */
export function Accuracy({ view }: { readonly view: ImagePanelViewStore }): ReactElement | null {
  const { stores, feeds } = useWorkbench();
  const images = feeds.of(ImageFeed);
  const against = useSelected(view, (state) => state.against);
  const other = useSelected(stores.runs, (state) => runOf(state, against));
  const error = useCached(images.data.error, SHOWN_KEY);
  if (other === null || error === null) return null;
  const wrong = error.bright === null || error.bright > BRIGHT_PARITY;
  const columns = [
    {
      name: 'relative L2',
      value: error.rel_l2,
      title: 'Norm of the difference divided by the norm of the other image',
    },
    { name: 'max / max', value: error.max, title: 'Largest difference divided by the other image’s largest pixel' },
    {
      name: 'bright pixels',
      value: error.bright,
      title: `Largest relative error of the pixels above a thousandth of the largest; at most ${BRIGHT_PARITY} passes`,
      wrong,
    },
    { name: 'sum', value: error.sum, title: 'Relative difference of the sums' },
  ];
  return (
    <dl
      className="image-accuracy flex wrap line-above"
      data-testid="image-accuracy"
      aria-label={`Error against ${other.name}`}
    >
      <div>
        <dt className="small">Less {other.name}</dt>
        <dd>
          <b>{other.variant}</b>
        </dd>
      </div>
      {columns.map(({ name, value, title, wrong: bad = false }) => (
        <div key={name} title={title} data-wrong={bad}>
          <dt className="small">{name}</dt>
          <dd className="selectable">
            <b>{formatError(value)}</b>
          </dd>
        </div>
      ))}
    </dl>
  );
}
