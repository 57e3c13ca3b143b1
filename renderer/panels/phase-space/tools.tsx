/** How all maps of phase space are shown and drawn on, and their export. */
import type { ReactElement } from 'react';
import type { ShownMap } from '../../data/run-data.ts';
import type { FigureFormat } from '../../drawing/export/figure.ts';
import { Button, IconButton } from '../../widgets/controls/button.tsx';
import { ExportMenu } from '../../widgets/floating/export-menu.tsx';
import { DragToolChoice } from '../../widgets/plots/drag-tool.tsx';
import { MapDisplay } from '../../widgets/plots/map-display.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { ReferenceRow } from './reference.tsx';
import type { PhaseSpaceStore, PhaseViewStore } from './store.ts';

interface ToolsProps {
  readonly store: PhaseSpaceStore;
  readonly view: PhaseViewStore;
  /** One of the maps; null: there is none yet. */
  readonly shown: ShownMap | null;
  readonly onExport: (format: FigureFormat) => void;
}

export function Tools({ store, view, shown, onExport }: ToolsProps): ReactElement {
  const { stores } = useWorkbench();
  const config = useSelected(store, (state) => state);
  const { tool, limits } = useSelected(view, (state) => state);
  const zoomed = useSelected(stores.window, ({ windows }) => Object.keys(windows).length > 0);
  const own = limits.a ?? limits.b ?? limits.c ?? limits.d ?? null;
  return (
    <div className="panel-bar__tools">
      <IconButton
        icon="fit"
        size={14}
        label="Show the whole field"
        disabled={!zoomed}
        onPress={() => stores.window.reset()}
      />
      <DragToolChoice value={tool} onChange={(next) => view.setState({ tool: next })} />
      <Button
        title="One pair of colour limits for all four maps"
        pressed={config.matched}
        onPress={() => {
          store.setState({ matched: !config.matched });
          view.setState({ limits: {} });
        }}
      >
        Match limits
      </Button>
      <MapDisplay
        what="maps of phase space"
        value={{ ...config, limits: own }}
        shown={shown === null ? null : { low: shown.field.min, high: shown.field.max }}
        unit={shown?.field.unit ?? ''}
        onChange={({ limits: set, ...change }) => {
          if (Object.keys(change).length > 0) store.setState(change);
          // Numbers are entered for all maps at once; each bar moves its own.
          if (set === null) view.setState({ limits: {} });
          else if (set !== undefined) view.setState({ limits: { a: set, b: set, c: set, d: set } });
        }}
      >
        <ReferenceRow view={view} />
      </MapDisplay>
      <ExportMenu what="the maps of phase space" disabled={shown === null} onChoose={onExport} />
    </div>
  );
}
