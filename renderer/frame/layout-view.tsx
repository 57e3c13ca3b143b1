/** Layout of panels on the screen: splits, groups and tabs. Tabs can be dragged to other groups and to their edges. */
import {
  Component,
  type DragEvent,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  type RefObject,
  Suspense,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { messageOf } from '../../electron/contract/errors.ts';
import { classes } from '../base/classes.ts';
import { controlIn } from '../base/panel-actions.ts';
import { panelTitle } from '../state/layout/defaults.ts';
import { shownRoot } from '../state/layout/store.ts';
import {
  type GroupNode,
  groupWith,
  type LayoutNode,
  NARROW_FROM_PX,
  panelsOf,
  type SizeClass,
  TALL_FROM_PX,
  WIDE_FROM_PX,
  type Zone,
} from '../state/layout/tree.ts';
import { Button, IconButton } from '../widgets/controls/button.tsx';
import { Split } from '../widgets/controls/split.tsx';
import { EmptyState } from '../widgets/words/empty-state.tsx';
import { Icon } from '../widgets/words/icon.tsx';
import { useSelected, useWorkbench } from '../workbench/context.ts';
import { PanelHint, useHintNumber } from './panel-hint.tsx';
import { panelEntry } from './panel-registry.ts';

/** Props of the error boundary that confines a failing panel. */
interface PanelBoundaryProps {
  readonly title: string;
  readonly children: ReactNode;
}

class PanelBoundary extends Component<PanelBoundaryProps, { readonly error: unknown }> {
  override state = { error: null as unknown };

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <EmptyState
        icon="error"
        tone="error"
        title={`${this.props.title} stopped working`}
        action={<Button onPress={() => this.setState({ error: null })}>Show it again</Button>}
      >
        {messageOf(error)}
      </EmptyState>
    );
  }
}

const PANEL_TYPE = 'application/x-braggbench-panel';
/** Minimum size of a panel in CSS pixels. */
const SMALLEST_PX = 140;
/** Number of tabs from which icons are omitted to make room for titles. */
const MANY_TABS = 4;
/** Width of the zone at each edge, as a share of a group, in which a dropped tab creates a new group. */
const EDGE_SHARE = 0.24;

function currentSizeClass(): SizeClass {
  if (innerHeight < TALL_FROM_PX || innerWidth < NARROW_FROM_PX) return 'small';
  return innerWidth < WIDE_FROM_PX ? 'narrow' : 'wide';
}

export function useSizeClass(): SizeClass {
  const [size, setSize] = useState(currentSizeClass);
  useEffect(() => {
    const changed = (): void => setSize(currentSizeClass());
    window.addEventListener('resize', changed);
    return () => window.removeEventListener('resize', changed);
  }, []);
  return size;
}

function zoneAt(event: DragEvent<HTMLElement>): Zone {
  const box = event.currentTarget.getBoundingClientRect();
  const x = (event.clientX - box.left) / box.width;
  const y = (event.clientY - box.top) / box.height;
  const edges: readonly (readonly [number, Zone])[] = [
    [x, 'left'],
    [1 - x, 'right'],
    [y, 'top'],
    [1 - y, 'bottom'],
  ];
  const [distance, zone] = edges.reduce((nearest, edge) => (edge[0] < nearest[0] ? edge : nearest));
  return distance < EDGE_SHARE ? zone : 'center';
}

function nameOf(node: LayoutNode): string {
  return node.type === 'group' ? panelTitle(node.active) : node.children.map(nameOf).join(' and ');
}

/** Marks a tab whose panel has a hint. Hidden from screen readers, because the previous hint already leads to it. */
function HintMark({ panel }: { readonly panel: string }): ReactElement | null {
  const hint = useHintNumber(panel);
  return hint === null ? null : (
    <b className="tabs__hint rigid small" aria-hidden="true">
      {hint}
    </b>
  );
}

function Tabs({
  node,
  size,
  id,
}: {
  readonly node: GroupNode;
  readonly size: SizeClass;
  readonly id: string;
}): ReactElement {
  const { stores } = useWorkbench();
  const focusTab = (panel: string): void => {
    requestAnimationFrame(() => document.getElementById(`${id}-tab-${panel}`)?.focus());
  };
  const keyPressed = (event: KeyboardEvent): void => {
    if (event.key === 'Delete') {
      const rest = node.panels.filter((panel) => panel !== node.active);
      const next = rest[Math.min(node.panels.indexOf(node.active), rest.length - 1)];
      stores.layout.close(node.active);
      if (next !== undefined) focusTab(next);
      return;
    }
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const at = node.panels.indexOf(node.active);
    const next = node.panels[(at + step + node.panels.length) % node.panels.length];
    if (next === undefined) return;
    stores.layout.show(size, next);
    focusTab(next);
  };
  return (
    <div className="tabs flex wrap grow" role="tablist" aria-label="Panels" onKeyDown={keyPressed}>
      {node.panels.map((panel, index) => {
        const entry = panelEntry(panel);
        const active = panel === node.active;
        return (
          <button
            key={panel}
            id={`${id}-tab-${panel}`}
            type="button"
            role="tab"
            className="tabs__tab flex center muted nowrap relative"
            aria-selected={active}
            aria-controls={active ? `${id}-panel` : undefined}
            tabIndex={active ? 0 : -1}
            draggable
            onClick={(event) => {
              // Focus explicitly, because draggable elements do not take focus themselves.
              event.currentTarget.focus();
              stores.handbook.focused(panel);
              stores.layout.show(size, panel);
            }}
            onAuxClick={(event) => {
              if (event.button === 1) stores.layout.close(panel);
            }}
            onDragStart={(event) => {
              event.dataTransfer.setData(PANEL_TYPE, panel);
              event.dataTransfer.effectAllowed = 'move';
            }}
            onDragOver={(event) => {
              if (event.dataTransfer.types.includes(PANEL_TYPE)) event.preventDefault();
            }}
            onDrop={(event) => {
              const dropped = event.dataTransfer.getData(PANEL_TYPE);
              if (dropped === '') return;
              event.preventDefault();
              event.stopPropagation();
              stores.layout.move(size, dropped, node.id, 'center', index);
            }}
          >
            {entry === null || node.panels.length >= MANY_TABS ? null : <Icon name={entry.icon} size={13} />}
            {panelTitle(panel)}
            <HintMark panel={panel} />
          </button>
        );
      })}
    </div>
  );
}

/**
 * Presses the control that the command palette requested as soon as the panel shows it. A key press or click of the
 * user cancels the request.
 */
function usePendingPress(panel: string, body: RefObject<HTMLElement | null>): void {
  const { stores } = useWorkbench();
  const next = useSelected(stores.layout.pressed, (state) => (state.next?.panel === panel ? state.next : null));
  useEffect(() => {
    const shown = body.current;
    if (next === null || shown === null) return;
    const done = (): void => stores.layout.pressed.setState({ next: null });
    const press = (): void => {
      const found = controlIn(shown, next.control);
      if (found === null) return;
      done();
      found.scrollIntoView({ block: 'nearest' });
      found.focus();
      if (found.matches(':disabled')) {
        const text = found.title || 'See the panel for what it needs.';
        stores.notices.show({ tone: 'info', title: `${found.textContent || found.ariaLabel} is not available`, text });
      } else if (found.tagName !== 'SELECT') found.click();
    };
    press();
    const observer = new MutationObserver(press);
    observer.observe(shown, { childList: true, subtree: true });
    window.addEventListener('pointerdown', done);
    window.addEventListener('keydown', done);
    return () => {
      observer.disconnect();
      window.removeEventListener('pointerdown', done);
      window.removeEventListener('keydown', done);
    };
  }, [next, body, stores]);
}

function Group({ node, size }: { readonly node: GroupNode; readonly size: SizeClass }): ReactElement {
  const { stores } = useWorkbench();
  const id = useId();
  const [zone, setZone] = useState<Zone | null>(null);
  const body = useRef<HTMLDivElement>(null);
  usePendingPress(node.active, body);
  const enlarged = useSelected(stores.layout.enlarged, ({ panel }) => panel !== null && node.panels.includes(panel));
  const arranged = useSelected(stores.layout.arranged, (state) => state);
  const only = useSelected(stores.layout, (state) => panelsOf(shownRoot(state, arranged, size)).length === 1);
  const entry = panelEntry(node.active);
  const Panel = entry?.component;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a region would turn every panel into a landmark
    <div
      className="group stack clip wide relative"
      role="group"
      aria-label={panelTitle(node.active)}
      onFocus={() => stores.handbook.focused(node.active)}
      onPointerDown={() => stores.handbook.focused(node.active)}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes(PANEL_TYPE)) return;
        event.preventDefault();
        setZone(zoneAt(event));
      }}
      onDragLeave={(event) => {
        if (event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget)) return;
        setZone(null);
      }}
      onDrop={(event) => {
        setZone(null);
        const panel = event.dataTransfer.getData(PANEL_TYPE);
        if (panel === '') return;
        event.preventDefault();
        stores.layout.move(size, panel, node.id, zoneAt(event));
      }}
    >
      <div className="group__head flex rigid sunken line-below">
        <Tabs node={node} size={size} id={id} />
        <IconButton
          icon={enlarged ? 'shrink' : 'fit'}
          size={13}
          label={enlarged ? 'Show all panels' : `Enlarge ${panelTitle(node.active)}`}
          pressed={enlarged}
          onPress={() => stores.layout.enlarge(enlarged ? null : node.active)}
        />
        {only ? null : (
          <IconButton
            icon="close"
            size={11}
            label={`Close ${panelTitle(node.active)}`}
            onPress={() => stores.layout.close(node.active)}
          />
        )}
      </div>
      <PanelHint panel={node.active} />
      <div
        className="flex grow"
        id={`${id}-panel`}
        role="tabpanel"
        aria-labelledby={`${id}-tab-${node.active}`}
        ref={body}
      >
        <PanelBoundary key={node.active} title={panelTitle(node.active)}>
          <Suspense fallback={<p className="group__loading faint">Loading…</p>}>
            {Panel === undefined ? null : <Panel />}
          </Suspense>
        </PanelBoundary>
      </div>
      {zone === null ? null : <div className={classes('group__zone rounded', `group__zone--${zone}`)} />}
    </div>
  );
}

function LayoutPart({ node, size }: { readonly node: LayoutNode; readonly size: SizeClass }): ReactElement {
  const { stores } = useWorkbench();
  if (node.type === 'group') return <Group node={node} size={size} />;
  return (
    <Split
      direction={node.direction}
      sizes={node.sizes}
      names={node.children.map(nameOf)}
      smallest={SMALLEST_PX}
      onResize={(sizes) => stores.layout.resize(size, node.id, sizes)}
    >
      {node.children.map((child) => (
        <LayoutPart key={child.id} node={child} size={size} />
      ))}
    </Split>
  );
}

export function LayoutView(): ReactElement {
  const { stores } = useWorkbench();
  const size = useSizeClass();
  const arranged = useSelected(stores.layout.arranged, (state) => state);
  const root = useSelected(stores.layout, (state) => shownRoot(state, arranged, size));
  const enlarged = useSelected(stores.layout.enlarged, ({ panel }) => panel);
  const alone = enlarged === null ? null : groupWith(root, enlarged);
  return (
    <main className="layout flex grow">
      <LayoutPart node={alone ?? root} size={size} />
    </main>
  );
}
