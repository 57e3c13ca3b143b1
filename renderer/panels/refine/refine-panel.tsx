/** Fits the crystal in the scenario form to a user's image: start, iterations, results, and residual image. */
import '../../widgets/plots/plots.css';
import './refine-panel.css';
import { type ReactElement, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { FieldMap } from '../../../electron/contract/fields.ts';
import {
  type CrystalUnknown,
  imageFileExtensions,
  type MeasuredImage,
  type RefinedCrystal,
  withFittedValues,
} from '../../../electron/contract/scenario/diffraction/refining.ts';
import { valueAt } from '../../../electron/contract/scenario/index.ts';
import { narrowResolvedScenario } from '../../../electron/contract/scenarios.ts';
import { count, fixedDigits, significant } from '../../../electron/domain/numbers.ts';
import { type FitChoice, RefineFeed, type RefineState } from '../../data/refine-feed.ts';
import { refinementChart } from '../../drawing/charts/refinement.ts';
import { errorText } from '../../state/notices.ts';
import { hasEnded } from '../../state/runs.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { ShownChart } from '../../widgets/plots/chart-plot.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { importImageFile } from '../../workbench/actions/import-files.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { MapTile } from '../../workbench/maps/map-tile.tsx';
import { PanelOffer } from '../../workbench/offers.tsx';
import { FitValues } from './values.tsx';

// The maps show the image and, after a fit, how its counts differ from the fitted ones.

/** Maximum samples per tile and axis, in device pixels. */
const PIXELS = 1024;
/** Lower end of the logarithmic scale as a share of the largest value, because smaller counts are detector noise. */
const MIN_SHARE = 1e-3;

const viewport = { horizontal: null, vertical: null, pixels: [PIXELS, PIXELS] as [number, number] };

/** Requested again whenever `key` changes. */
function useMap(image: string, show: 'measured' | 'difference', key: unknown): FieldMap | null {
  const { client, stores } = useWorkbench();
  const [map, setMap] = useState<FieldMap | null>(null);
  useEffect(() => {
    setMap(null);
    if (key === null) return;
    let current = true;
    client.call('refining.view', { image, show, view: { viewport, statistic: 'max' } }).then(
      (answer) => current && setMap(answer.map),
      (error: unknown) => current && stores.notices.fail(`The image could not be read: ${errorText(error)}`, error),
    );
    return () => {
      current = false;
    };
  }, [client, stores, image, show, key]);
  return map;
}

const largestMagnitude = ({ min, max }: FieldMap): number => Math.max(Math.abs(min), Math.abs(max)) || 1;

interface MapsProps {
  readonly image: MeasuredImage;
  readonly refined: RefinedCrystal | null;
}

function Maps({ image, refined }: MapsProps): ReactElement | null {
  const { stores, workloads } = useWorkbench();
  const plane = useMemo(() => workloads['diffraction'].plane?.(stores) ?? null, [workloads, stores]);
  const measured = useMap(image.id, 'measured', image.id);
  const difference = useMap(image.id, 'difference', refined);
  if (plane === null) return null;
  const high = measured?.max ?? 1;
  const limits = { low: Math.max(high * MIN_SHARE, measured?.min ?? 0), high };
  const reach = difference === null ? 1 : largestMagnitude(difference);
  return (
    <>
      <MapTile
        title="Image"
        aside={`${count(image.width)} × ${count(image.height)} pixels`}
        field={measured}
        reason={null}
        plane={plane}
        style={{ colorMap: 'viridis', scale: 'log' }}
        limits={measured === null ? null : limits}
        quantity="Counts"
      />
      {refined === null ? null : (
        <MapTile
          title="Image minus the fit"
          aside={difference === null ? '' : `at most ${significant(reach, 2)} counts`}
          field={difference}
          reason={null}
          plane={plane}
          style={{ colorMap: 'berlin', scale: 'linear' }}
          limits={{ low: -reach, high: reach }}
          quantity="Difference"
        />
      )}
    </>
  );
}

const fits = [
  { value: 'both', label: 'both', title: 'Misset and cell' },
  { value: 'misset', label: 'misset', title: 'The crystal is rotated, its cell is unchanged' },
  { value: 'cell', label: 'cell', title: 'The cell is changed, the crystal is not rotated' },
] as const satisfies readonly { readonly value: FitChoice; readonly label: string; readonly title: string }[];

/** Finished runs, whose computed images can be fitted like images from files. */
function useImages() {
  const runs = useSelected(useWorkbench().stores.runs, (state) => state.runs);
  return runs.filter(
    ({ workload, state, error }) =>
      workload === 'diffraction' && hasEnded(state) && state !== 'failed' && error === null,
  );
}

/** Opens a file or uses the image of a run. */
function Source({ feed, primary }: { readonly feed: RefineFeed; readonly primary: boolean }): ReactElement {
  const { stores } = useWorkbench();
  const input = useRef<HTMLInputElement>(null);
  const images = useImages();
  const takeRun = (id: string): void => {
    const run = images.find((one) => one.id === id);
    if (run !== undefined) void feed.openImage(run.name, async () => ({ kind: 'run', run: id }));
  };
  return (
    <span className="refine-source center gap-m">
      <input
        ref={input}
        type="file"
        accept={imageFileExtensions.join(',')}
        multiple
        hidden
        data-testid="refine-file"
        onChange={(event) => {
          const chosen = [...(event.target.files ?? [])];
          event.target.value = '';
          void importImageFile(chosen, feed, stores);
        }}
      />
      <Button action="choose" icon="open" tone={primary ? 'primary' : 'normal'} onPress={() => input.current?.click()}>
        Open an image…
      </Button>
      {images.length === 0 ? null : (
        <Select
          label="Or use an image computed here"
          value=""
          options={[
            { value: '', label: 'or a run …' },
            ...images.map(({ id, name, variant, size }) => ({ value: id, label: `${name} · ${variant} · ${size}` })),
          ]}
          onChange={takeRun}
        />
      )}
    </span>
  );
}

function summaryOf({ converged, iterations, iteration_s, scale, background, correlation }: RefinedCrystal): string {
  return [
    `${converged ? 'Converged' : 'Not converged'} after ${iterations} iterations, ${significant(iteration_s, 2)} s each.`,
    `Correlation ${fixedDigits(correlation.start, 6)} before, ${fixedDigits(correlation.end, 6)} after.`,
    `Scale ${significant(scale, 4)} counts per photon, background ${significant(background, 3)}.`,
  ].join(' ');
}

const phaseWords: Readonly<Record<RefineState['phase'], string>> = {
  idle: 'Refine starts from the crystal in the form.',
  waiting: 'Waiting for an earlier computation.',
  fitting: 'Fitting …',
  refined: '',
  stopped: 'Stopped. The form is unchanged.',
  failed: '',
};

function Status({ state }: { readonly state: RefineState }): ReactElement {
  const { phase, reasons, warnings, refined, variant, opening } = state;
  const text = opening !== null ? `Reading ${opening} …` : refined !== null ? summaryOf(refined) : phaseWords[phase];
  return (
    <div className="refine-status" role="status">
      {text === '' ? null : (
        <p>
          {text}
          {phase === 'fitting' && variant !== null ? ` Images by ${variant}.` : ''}
        </p>
      )}
      {reasons.map((reason) => (
        <p key={reason} className="danger">
          {reason}
        </p>
      ))}
      {warnings.map((warning) => (
        <p key={warning} className="warning">
          {warning}
        </p>
      ))}
    </div>
  );
}

export default function RefinePanel(): ReactElement {
  const { stores, feeds, scheduler } = useWorkbench();
  const feed = feeds.of(RefineFeed);
  const state = useSelected(feed.state, (all) => all);
  const resolved = useSelected(stores.scenario, ({ lastResolved }) =>
    narrowResolvedScenario('diffraction', lastResolved),
  );
  const faulty = useSelected(
    stores.scenario,
    ({ check }) => check?.issues.some(({ severity }) => severity === 'error') ?? false,
  );
  const id = useId();
  const chart = useMemo(() => refinementChart(state.iterations), [state.iterations]);
  const { image, phase, refined, fit } = state;
  const busy = phase === 'waiting' || phase === 'fitting';
  const startOf = ({ of, id: name }: CrystalUnknown): number | null => {
    const value = valueAt(resolved?.scenario ?? {}, ['crystal', of === 'cell' ? 'lattice' : 'misset', name]);
    return typeof value === 'number' ? value : null;
  };
  const start = (): void => {
    const { draft, file } = stores.scenario.getState();
    feed.start(draft, file?.file ?? null);
  };
  const use = (found: RefinedCrystal): void => {
    stores.scenario.replace(
      withFittedValues(stores.scenario.getState().draft, found.unknowns),
      'Crystal from an image',
    );
    stores.notices.show({
      tone: 'success',
      title: 'The crystal in the form was replaced by the fitted one',
      text: 'Undo reverts this.',
    });
  };
  if (image === null) {
    return (
      <div className="refine-panel stack wide">
        <EmptyState icon="fit" title="No image yet" action={<Source feed={feed} primary={true} />}>
          <p>
            Misset and cell of the crystal in the form are fitted to a measured image: SMV, TIFF, CBF, raw numbers, or a
            run. Drop it here. The starting crystal must already be close: its spots must overlap those of the image.
          </p>
          <Status state={{ ...state, phase: 'refined', refined: null }} />
        </EmptyState>
      </div>
    );
  }
  return (
    <div className="refine-panel stack wide">
      <div className="panel-bar">
        <span className="refine-panel__image break-anywhere">
          <b>{image.name}</b> {count(image.width)} × {count(image.height)} pixels
          {image.left_out === 0 ? '' : `, ${count(image.left_out)} ignored: saturated, or without a count`}
        </span>
        <div className="panel-bar__tools">
          <Source feed={feed} primary={false} />
          <span id={id} className="visually-hidden">
            What is fitted
          </span>
          <Segmented label="What is fitted" value={fit} options={fits} onChange={(next) => feed.choose(next)} />
          {busy ? (
            <Button icon="stop" onPress={() => feed.stop()}>
              Stop
            </Button>
          ) : (
            <Button
              action="run"
              icon="run"
              tone={refined === null ? 'primary' : 'normal'}
              disabled={faulty}
              onPress={start}
            >
              Refine
            </Button>
          )}
          {refined === null ? null : (
            <Button icon="check" tone="primary" onPress={() => use(refined)}>
              Use this crystal
            </Button>
          )}
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard */}
      <section className="refine-panel__body grow scroll" aria-label="Refinement" tabIndex={0}>
        <Status state={state} />
        {faulty ? <PanelOffer panel="scenario" icon="sliders" label="Show the errors in the form" /> : null}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls */}
        <section className="refine-panel__values" aria-label="Values" tabIndex={0}>
          <FitValues state={state} startOf={startOf} />
        </section>
        <div className="refine-panel__plots grid">
          {state.iterations.length === 0 ? null : (
            <div className="refine-panel__chart all-columns relative">
              <ShownChart chart={chart} scheduler={scheduler} fill={true} />
            </div>
          )}
          <Maps image={image} refined={refined} />
        </div>
      </section>
    </div>
  );
}
