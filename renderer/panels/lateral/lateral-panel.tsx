/** Dose across the beam at the crosshair's depth. */
import { type ReactElement, useEffect, useMemo, useRef } from 'react';
import { createStore } from 'zustand/vanilla';
import { fixed, significant } from '../../base/numbers.ts';
import { SHOWN } from '../../data/run-data.ts';
import { shownCrosshair } from '../../state/selection.ts';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { ExportMenu } from '../../widgets/export-menu.tsx';
import { Segmented } from '../../widgets/segmented.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import { type DrivenPlot, driveLateral, type Profile, type ShownProfile } from './controller.ts';
import { createLateralStore } from './store.ts';
import '../../widgets/plot-panel.css';

const scales = [
  { value: 'linear', label: 'lin', title: 'Linear scale' },
  { value: 'log', label: 'log', title: 'Logarithmic scale' },
] as const;

function valueAt({ curve }: Profile, x: number): number | null {
  const { positions, values } = curve;
  const first = positions[0] ?? 0;
  const cell = (positions[1] ?? first + 1) - first;
  return values[Math.round((x - first) / cell)] ?? null;
}

function Readout({ profile }: { readonly profile: Profile }): ReactElement {
  const { stores } = useWorkbench();
  const at = useSelected(stores.selection, shownCrosshair);
  const { plane, curve, depth_mm } = profile;
  return (
    <output className="panel-readout" aria-live="off" data-testid="lateral-readout">
      <span>
        z <b>{fixed(depth_mm, 2)}</b> mm
      </span>
      <span title="Of the protons’ fluence crossing this depth; the dashed curve is a Gaussian of this width and the dose’s area">
        σx <b>{fixed(plane?.sigma_x_mm, 3)}</b> mm
      </span>
      {at?.x === undefined ? null : (
        <>
          <span>
            x <b>{fixed(at.x, 2)}</b> mm
          </span>
          <span>
            dose <b>{significant(valueAt(profile, at.x), 4)}</b> {curve.unit}
          </span>
        </>
      )}
    </output>
  );
}

export default function LateralPanel(): ReactElement {
  const workbench = useWorkbench();
  const { data, storage, settingsReset } = workbench;
  const store = useMemo(() => createLateralStore(storage, settingsReset), [storage, settingsReset]);
  const shown = useMemo((): ShownProfile => createStore(() => ({ profile: null as Profile | null })), []);
  const scale = useSelected(store, (state) => state.scale);
  const profile = useSelected(shown, (state) => state.profile);
  const over = useCached(data.moments, SHOWN) !== null;
  const below = useRef<HTMLCanvasElement>(null);
  const above = useRef<HTMLCanvasElement>(null);
  const driven = useRef<DrivenPlot>(null);
  useEffect(() => {
    if (below.current === null || above.current === null) return;
    driven.current = driveLateral(workbench, store, shown, below.current, above.current);
    return () => driven.current?.stop();
  }, [workbench, store, shown]);
  return (
    <div className="plot-panel">
      <div className="panel-bar">
        {profile === null ? (
          <span className="panel-readout panel-readout--none">Dose across the beam</span>
        ) : (
          <Readout profile={profile} />
        )}
        <div className="panel-bar__tools">
          <Segmented
            label="Scale"
            value={scale}
            options={scales}
            onChange={(next) => store.setState({ scale: next })}
          />
          <ExportMenu
            what="the lateral profile"
            disabled={profile === null}
            onChoose={(format) => void workbench.figures.save(driven.current?.figure() ?? null, format)}
          />
        </div>
      </div>
      <div className="plot-panel__body">
        <canvas ref={below} className="plot-panel__layer" />
        <canvas
          ref={above}
          className="plot-panel__layer plot-panel__layer--above"
          role="img"
          aria-label="Dose across the beam at the depth of the crosshair"
        />
        {over ? null : (
          <div className="plot-panel__cover">
            <EmptyState icon="curve" title="No profile yet">
              After a run: the dose across the beam at the depth of the crosshair, with the width of the beam there.
            </EmptyState>
          </div>
        )}
      </div>
    </div>
  );
}
