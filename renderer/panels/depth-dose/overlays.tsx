/** Curves laid over the depth dose: files of the reader's and other runs. */
import { type ReactElement, useMemo, useRef, useState } from 'react';
import { gammaOfCurves } from '../../../electron/contract/gamma-curve.ts';
import { openCurve } from '../../actions/curves.ts';
import { percent } from '../../base/numbers.ts';
import { MOST_OVERLAYS, type OverlayCurve } from '../../data/overlays.ts';
import { SHOWN } from '../../data/run-data.ts';
import { isOver } from '../../state/runs.ts';
import { Button, IconButton } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { Popover, PopoverRow } from '../../widgets/floating/popover.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import { curveIn, type DoseUnit, overlayFactor, overlayIn, overlayLooks } from './figure.ts';

const gammaCriteria = [
  { value: '1/1', label: '1 %/1 mm' },
  { value: '2/1', label: '2 %/1 mm' },
  { value: '2/2', label: '2 %/2 mm' },
  { value: '3/3', label: '3 %/3 mm' },
] as const;
type GammaChoice = (typeof gammaCriteria)[number]['value'];

/** Share of an overlaid curve's points at which the shown run's dose passes, both as they are drawn. */
function PassRate({
  curve,
  unit,
  choice,
}: {
  readonly curve: OverlayCurve;
  readonly unit: DoseUnit;
  readonly choice: GammaChoice;
}): ReactElement | null {
  const { data } = useWorkbench();
  const shown = useCached(data.depthDose, SHOWN);
  const rate = useMemo(() => {
    if (shown === null || shown.final === null) return null;
    const [dose = 1, distance_mm = 1] = choice.split('/').map(Number);
    const own = curveIn(shown, unit);
    const peak = own.values.reduce((a, b) => Math.max(a, b), 0);
    const laid = overlayIn(curve, unit);
    const factor = overlayFactor(laid, unit, peak);
    const scale = unit === 'percent' && peak > 0 ? 100 / peak : 1;
    const reference = { positions: laid.depth_mm, values: laid.dose.map((value) => value * factor) };
    const evaluated = { positions: own.positions, values: own.values.map((value) => value * scale) };
    return gammaOfCurves(reference, evaluated, { dose: dose / 100, distance_mm });
  }, [shown, curve, unit, choice]);
  if (rate === null) return null;
  return (
    <small title={`${rate.points} points above a tenth of the largest; worst gamma ${rate.worst.toFixed(2)}`}>
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
}): ReactElement | null {
  const { overlays } = useWorkbench();
  const curve = useCached(overlays.curves, id);
  return curve === null ? null : <PassRate curve={curve} {...how} />;
}

export function OverlayMenu({ unit }: { readonly unit: DoseUnit }): ReactElement {
  const [choice, setChoice] = useState<GammaChoice>('1/1');
  const { overlays, stores } = useWorkbench();
  const items = useSelected(overlays.list, (state) => state.items);
  const selected = useSelected(stores.selection, (state) => state.run);
  const runs = useSelected(stores.runs, (state) => state.runs);
  const file = useRef<HTMLInputElement>(null);
  const full = items.length >= MOST_OVERLAYS;
  const others = runs.filter(
    ({ id, state, error }) =>
      id !== selected && isOver(state) && error === null && !items.some((item) => item.run === id),
  );
  return (
    <Popover label="Curves over the depth dose" text="Overlay" active={items.length > 0}>
      {items.map(({ id, name }, i) => (
        <div key={id} className="depth-dose__overlay">
          <svg width="22" height="6" aria-hidden="true">
            <line
              x1="0"
              x2="22"
              y1="3"
              y2="3"
              stroke={`var(--${overlayLooks[i]?.ink ?? 'series-8'})`}
              strokeWidth="2"
              strokeDasharray={overlayLooks[i]?.dash.join(' ')}
            />
          </svg>
          <span title={name}>{name}</span>
          <OverlayRate id={id} unit={unit} choice={choice} />
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
        </PopoverRow>
      )}
      <PopoverRow name="Run">
        <Select
          label="Run to lay over"
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
              .catch((error: unknown) => stores.notices.fail('The run was not laid over', error));
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
          ? `At most ${MOST_OVERLAYS} curves; remove one to add another.`
          : 'A CSV with depth (mm) and dose, or drop it on the window. A dose without MeV/mm is drawn as high as this run’s peak.'}
      </p>
    </Popover>
  );
}
