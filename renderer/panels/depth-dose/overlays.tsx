/** Curves overlaid on the depth dose: user files and other runs. */
import { type ReactElement, useMemo, useRef, useState } from 'react';
import { allowedDepthUnits, factorToRunUnit, parseDepthDoseUnit } from '../../../electron/contract/dose/units.ts';
import { valueAt } from '../../../electron/contract/scenario/index.ts';
import type { ResolvedTransport } from '../../../electron/contract/scenario/transport/workload.ts';
import { type GammaCurve, gammaOfCurves } from '../../../electron/domain/dose/gamma-curve.ts';
import { percent } from '../../../electron/domain/numbers.ts';
import { MAX_OVERLAYS, type OverlayCurve } from '../../data/overlays.ts';
import { SHOWN_KEY, type ShownDepthDose } from '../../data/run-data.ts';
import { hasEnded } from '../../state/runs.ts';
import { Button, IconButton } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { Popover, PopoverRow } from '../../widgets/floating/popover.tsx';
import { openCurve } from '../../workbench/actions/import-files.ts';
import { shownScenario, useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import { curveInUnit, type DoseUnit, overlayFactor, overlayInUnit, overlayStyles } from './figure.ts';

// Curves of a run and of an overlay are prepared here for a gamma index.

/** Scaling of both curves: as drawn, relative to their own peaks, or none. */
type GammaScale = 'drawn' | 'peak' | 'absolute';

const scaleCurve = (positions: GammaCurve['positions'], values: Float64Array, factor: number): GammaCurve => ({
  positions,
  values: values.map((value) => value * factor),
});

const peakOf = (values: Float64Array): number => values.reduce((a, b) => Math.max(a, b), 0);

/** Number of protons that a run's dose is normalised to. */
export function protonsOf(resolved: ResolvedTransport | null): number {
  const weight = valueAt(resolved?.scenario, ['beam', 'weight']);
  return typeof weight === 'number' ? weight : 1;
}

interface ComparisonOptions {
  readonly unit: DoseUnit;
  readonly scale: GammaScale;
  /** Number of protons of the shown run. */
  readonly protons: number;
}

function compareAbsolute(shown: ShownDepthDose, overlay: OverlayCurve, protons: number) {
  const unit = parseDepthDoseUnit(overlay.unit);
  if (unit === null) {
    const has = overlay.unit === null ? 'the file gives no unit' : `${overlay.unit} is not an absolute unit`;
    return `${has}; allowed in its header: ${allowedDepthUnits}`;
  }
  const own = unit.by === 'mass' ? shown.perMass : shown.curve;
  if (own === null || own === undefined)
    return 'this run was stored without densities, but the file is a dose per mass';
  return [scaleCurve(overlay.depth_mm, overlay.dose, factorToRunUnit(unit, protons)), own] as const;
}

/** The reference and the evaluated curve; a message if they cannot be compared. */
export function gammaPairOf(
  shown: ShownDepthDose,
  overlay: OverlayCurve,
  { unit, scale, protons }: ComparisonOptions,
): readonly [GammaCurve, GammaCurve] | string {
  if (scale === 'absolute') return compareAbsolute(shown, overlay, protons);
  const own = curveInUnit(shown, unit);
  const laid = overlayInUnit(overlay, unit);
  const [peak, other] = [peakOf(own.values), peakOf(laid.dose)];
  if (scale === 'peak' && peak > 0 && other > 0) {
    return [scaleCurve(laid.depth_mm, laid.dose, 1 / other), scaleCurve(own.positions, own.values, 1 / peak)];
  }
  const factor = unit === 'percent' && peak > 0 ? 100 / peak : 1;
  return [
    scaleCurve(laid.depth_mm, laid.dose, overlayFactor(laid, unit, peak)),
    scaleCurve(own.positions, own.values, factor),
  ];
}

const gammaCriteria = [
  { value: '1/1', label: '1 %/1 mm' },
  { value: '2/1', label: '2 %/1 mm' },
  { value: '2/2', label: '2 %/2 mm' },
  { value: '3/3', label: '3 %/3 mm' },
] as const;
type GammaChoice = (typeof gammaCriteria)[number]['value'];

const scales = [
  { value: 'drawn', label: 'as drawn' },
  { value: 'peak', label: 'both to their peaks' },
  { value: 'absolute', label: 'absolute' },
] as const;

/** Share of an overlaid curve's points at which the shown run's dose passes the gamma criterion. */
function PassRate({
  curve,
  unit,
  choice,
  scale,
}: {
  readonly curve: OverlayCurve;
  readonly unit: DoseUnit;
  readonly choice: GammaChoice;
  readonly scale: GammaScale;
}): ReactElement | null {
  const workbench = useWorkbench();
  const shown = useCached(workbench.data.depthDose, SHOWN_KEY);
  // Render again when the run's scenario arrives.
  useCached(workbench.data.reference, SHOWN_KEY);
  const protons = useSelected(workbench.stores.scenario, () => protonsOf(shownScenario('transport', workbench)));
  const rate = useMemo(() => {
    if (shown === null || shown.final === null) return null;
    const [dose = 1, distance_mm = 1] = choice.split('/').map(Number);
    const pair = gammaPairOf(shown, curve, { unit, scale, protons });
    return typeof pair === 'string' ? pair : gammaOfCurves(...pair, { dose: dose / 100, distance_mm });
  }, [shown, curve, unit, choice, scale, protons]);
  if (rate === null) return null;
  if (typeof rate === 'string') return <small title={rate}>no γ: {rate.split(';', 1)}</small>;
  return (
    <small title={`${rate.points} points above a tenth of the largest dose; worst gamma ${rate.worst.toFixed(2)}`}>
      γ {percent(rate.passed)}
    </small>
  );
}

function OverlayRate({
  id,
  ...how
}: {
  readonly id: string;
  readonly unit: DoseUnit;
  readonly choice: GammaChoice;
  readonly scale: GammaScale;
}): ReactElement | null {
  const { overlays } = useWorkbench();
  const curve = useCached(overlays.curves, id);
  return curve === null ? null : <PassRate curve={curve} {...how} />;
}

export function OverlayMenu({ unit }: { readonly unit: DoseUnit }): ReactElement {
  const [choice, setChoice] = useState<GammaChoice>('1/1');
  const [scale, setScale] = useState<GammaScale>('drawn');
  const { overlays, stores } = useWorkbench();
  const items = useSelected(overlays.list, (state) => state.items);
  const selected = useSelected(stores.selection, (state) => state.run);
  const runs = useSelected(stores.runs, (state) => state.runs);
  const file = useRef<HTMLInputElement>(null);
  const full = items.length >= MAX_OVERLAYS;
  const others = runs.filter(
    ({ id, state, error }) =>
      id !== selected && hasEnded(state) && error === null && !items.some((item) => item.run === id),
  );
  return (
    <Popover label="Curves over the depth dose" text="Overlay" action="overlay" active={items.length > 0}>
      {items.map(({ id, name }, i) => (
        <div key={id} className="depth-dose__overlay flex center gap-l">
          <svg width="22" height="6" aria-hidden="true">
            <line
              x1="0"
              x2="22"
              y1="3"
              y2="3"
              stroke={`var(--${overlayStyles[i]?.ink ?? 'series-8'})`}
              strokeWidth="2"
              strokeDasharray={overlayStyles[i]?.dash.join(' ')}
            />
          </svg>
          <span className="clip nowrap grow" title={name}>
            {name}
          </span>
          <OverlayRate id={id} unit={unit} choice={choice} scale={scale} />
          <IconButton icon="close" size={12} label={`Remove ${name}`} onPress={() => overlays.remove(id)} />
        </div>
      ))}
      {items.length === 0 ? null : (
        <PopoverRow name="Gamma">
          <Select
            label="Criteria of the gamma index"
            value={choice}
            options={gammaCriteria}
            onChange={(value) => setChoice(gammaCriteria.find((one) => one.value === value)?.value ?? '1/1')}
          />
          <Select
            label="Quantity for the gamma index"
            value={scale}
            options={scales}
            onChange={(value) => setScale(scales.find((one) => one.value === value)?.value ?? 'drawn')}
          />
        </PopoverRow>
      )}
      <PopoverRow name="Run">
        <Select
          label="Run to overlay"
          value=""
          options={[
            { value: '', label: others.length === 0 ? 'no other run' : 'choose…' },
            ...others.map(({ id, name, variant, precision }) => ({
              value: id,
              label: `${name} · ${variant} ${precision}`,
              disabled: full,
            })),
          ]}
          onChange={(run) => {
            const info = others.find(({ id }) => id === run);
            if (info === undefined) return;
            overlays
              .addRun(run, `${info.name} · ${info.variant} ${info.precision}`)
              .catch((error: unknown) => stores.notices.fail('The run could not be overlaid', error));
          }}
        />
      </PopoverRow>
      <PopoverRow name="File">
        <input
          ref={file}
          type="file"
          accept=".csv,.txt,.dat"
          hidden
          data-testid="overlay-file"
          onChange={(event) => {
            const [chosen] = event.target.files ?? [];
            event.target.value = '';
            if (chosen !== undefined) void openCurve(chosen, overlays, stores.notices);
          }}
        />
        <Button disabled={full} onPress={() => file.current?.click()}>
          Open CSV…
        </Button>
      </PopoverRow>
      <p className="popover__note">
        {full
          ? `At most ${MAX_OVERLAYS} curves; remove one to add another.`
          : 'A CSV with depth (mm) and dose, or drop it on the window. A dose without a unit is scaled to this run’s peak.'}
        {scale === 'absolute' ? ` For an absolute γ, its header must give the unit: ${allowedDepthUnits}.` : ''}
      </p>
    </Popover>
  );
}
