/** Curves laid over the depth dose: files of the reader's and other runs. */
import { type ReactElement, useRef } from 'react';
import { openCurve } from '../../actions/curves.ts';
import { MOST_OVERLAYS } from '../../data/overlays.ts';
import { isOver } from '../../state/runs.ts';
import { Button, IconButton } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { Popover, PopoverRow } from '../../widgets/floating/popover.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { overlayLooks } from './figure.ts';

export function OverlayMenu(): ReactElement {
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
          <IconButton icon="close" size={12} label={`Remove ${name}`} onPress={() => overlays.remove(id)} />
        </div>
      ))}
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
