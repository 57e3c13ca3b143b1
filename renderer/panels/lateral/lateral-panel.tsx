/** Dose across the beam at the crosshair's depth and at retained depths, and beam width against depth. */
import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import { createStore } from 'zustand/vanilla';
import { fixedDigits, significant } from '../../../electron/domain/numbers.ts';
import { SHOWN_KEY } from '../../data/run-data.ts';
import { shownCrosshair } from '../../state/selection.ts';
import { IconButton } from '../../widgets/controls/button.tsx';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { ExportMenu } from '../../widgets/floating/menu.tsx';
import { ChartFailure, ChartPlot } from '../../widgets/plots/chart-plot.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import {
  createLateralStore,
  createSavedDepths,
  type DrivenPlot,
  driveLateral,
  MAX_DEPTHS,
  type Profiles,
  type SavedDepthsStore,
  type ShownProfiles,
} from './controller.ts';
import { type DepthProfile, depthName, profileLooks } from './profile.ts';
import '../../widgets/plots/plots.css';
import './lateral-panel.css';
import { PanelOffer, RunOffer } from '../../workbench/offers.tsx';

const scales = [
  { value: 'linear', label: 'lin', title: 'Linear scale' },
  { value: 'log', label: 'log', title: 'Logarithmic scale' },
] as const;

const displayOptions = [
  { value: 'profile', label: 'profile', title: 'Dose across the beam' },
  { value: 'width', label: 'width', title: 'σx against depth, with Fermi–Eyges theory' },
] as const;

function valueAt({ curve }: DepthProfile, x: number): number | null {
  const { positions, values } = curve;
  const first = positions[0] ?? 0;
  const cell = (positions[1] ?? first + 1) - first;
  return values[Math.round((x - first) / cell)] ?? null;
}

function Readout({ profile }: { readonly profile: DepthProfile }): ReactElement {
  const { stores } = useWorkbench();
  const at = useSelected(stores.selection, shownCrosshair);
  const { plane, curve, depth_mm, fit } = profile;
  return (
    <output className="panel-readout" aria-live="off" data-testid="lateral-readout">
      <span>
        z <b>{fixedDigits(depth_mm, 2)}</b> mm
      </span>
      <span title="Width of the fluence of protons crossing this depth; the dashed curve is a Gaussian with this width and the area of the dose">
        σx <b>{fixedDigits(plane?.sigma_x_mm, 3)}</b> mm
      </span>
      <span title="Width of a Gaussian fitted to the dose above a tenth of its largest value; a beam only a few cells wide appears wider">
        fit <b>{fixedDigits(fit?.sigma, 3)}</b> mm
      </span>
      {at?.x === undefined ? null : (
        <>
          <span>
            x <b>{fixedDigits(at.x, 2)}</b> mm
          </span>
          <span>
            dose <b>{significant(valueAt(profile, at.x), 4)}</b> {curve.unit}
          </span>
        </>
      )}
    </output>
  );
}

/** Retained depths with the width fitted at each. */
function SavedDepths({
  shown,
  kept,
}: {
  readonly shown: Profiles;
  readonly kept: SavedDepthsStore;
}): ReactElement | null {
  const [, ...others] = shown.profiles;
  if (others.length === 0) return null;
  return (
    <ul className="lateral__kept muted rounded grid" aria-label="Saved depths">
      {others.map(({ depth_mm, fit }, i) => (
        <li className="grid gap-l center" key={depth_mm}>
          <svg width="22" height="6" aria-hidden="true">
            <line
              x1="0"
              x2="22"
              y1="3"
              y2="3"
              stroke={`var(--${profileLooks[i + 1]?.ink ?? 'series-8'})`}
              strokeWidth="2"
              strokeDasharray={profileLooks[i + 1]?.dash.join(' ')}
            />
          </svg>
          <span>{depthName(depth_mm)}</span>
          <span>
            σx fit <b>{fixedDigits(fit?.sigma, 3)}</b> mm
          </span>
          <IconButton
            icon="close"
            size={11}
            label={`Remove the profile at ${depthName(depth_mm)}`}
            onPress={() => kept.setState(({ depths_mm }) => ({ depths_mm: depths_mm.filter((_, at) => at !== i) }))}
          />
        </li>
      ))}
    </ul>
  );
}

export default function LateralPanel(): ReactElement {
  const workbench = useWorkbench();
  const { data, storage, settingsReset } = workbench;
  const store = useMemo(() => createLateralStore(storage, settingsReset), [storage, settingsReset]);
  const kept = useMemo(createSavedDepths, []);
  const profiles = useMemo((): ShownProfiles => createStore(() => ({ shown: null as Profiles | null })), []);
  const { scale, show } = useSelected(store, (state) => state);
  const shown = useSelected(profiles, (state) => state.shown);
  const depths = useSelected(kept, (state) => state.depths_mm);
  const over = useCached(data.moments, SHOWN_KEY) !== null;
  const host = useRef<HTMLDivElement>(null);
  const driven = useRef<DrivenPlot>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    if (host.current === null) return;
    driven.current = driveLateral(workbench, store, kept, profiles, host.current, setFailure);
    return () => driven.current?.stop();
  }, [workbench, store, kept, profiles]);
  const found = shown?.profiles[0];
  const isOneColumn = found?.curve.positions.length === 1;
  const first = isOneColumn ? undefined : found;
  const keep = (): void => {
    if (first === undefined || depths.includes(first.depth_mm)) return;
    kept.setState({ depths_mm: [...depths, first.depth_mm] });
  };
  return (
    <div className="plot-panel">
      <div className="panel-bar">
        {first === undefined ? (
          <span className="panel-readout panel-readout--none">Dose across the beam</span>
        ) : (
          <Readout profile={first} />
        )}
        <div className="panel-bar__tools">
          <IconButton
            icon="plus"
            size={14}
            label="Keep this depth: its profile stays visible when the crosshair moves"
            disabled={first === undefined || depths.length >= MAX_DEPTHS}
            onPress={keep}
          />
          <Segmented
            label="Show"
            value={show}
            options={displayOptions}
            onChange={(next) => store.setState({ show: next })}
          />
          <Segmented
            label="Scale"
            value={scale}
            options={scales}
            onChange={(next) => store.setState({ scale: next })}
          />
          <ExportMenu
            what="the lateral profile"
            disabled={first === undefined}
            onChoose={(format) => void workbench.figures.save(driven.current?.figure() ?? null, format)}
          />
        </div>
      </div>
      <div className="plot-panel__body">
        <ChartPlot
          host={host}
          label={
            show === 'profile'
              ? 'Dose across the beam at the depth of the crosshair'
              : 'Width of the beam against depth, with Fermi–Eyges theory'
          }
        />
        {shown === null || show === 'width' ? null : <SavedDepths shown={shown} kept={kept} />}
        {show === 'width' && shown !== null ? (
          <p className="lateral__legend muted rounded flex wrap" data-testid="width-legend">
            <span className="lateral__line lateral__line--fluence">σx of the fluence</span>
            {shown.theory === null ? (
              <span>No Fermi–Eyges curve: {shown.noTheory}</span>
            ) : (
              <span className="lateral__line lateral__line--theory">Fermi–Eyges</span>
            )}
            <span className="lateral__line lateral__line--fit">fitted to the dose</span>
          </p>
        ) : null}
        <ChartFailure reason={failure} />
        {over && !isOneColumn ? null : (
          <div className="plot-panel__cover">
            {over ? (
              <EmptyState
                icon="curve"
                title="One cell has no profile"
                action={<PanelOffer panel="scenario" icon="sliders" label="Show the scenario" />}
              >
                The grid of this run has one cell across the beam: set a smaller grid.dx_mm to see dose and width.
              </EmptyState>
            ) : (
              <EmptyState icon="curve" title="No profile yet" action={<RunOffer />}>
                After a run, this panel shows the dose across the beam at the depth of the crosshair, with the width of
                the beam there.
              </EmptyState>
            )}
          </div>
        )}
      </div>
    </div>
  );
}
