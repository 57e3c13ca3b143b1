/** Parts next to or above each other. The handles between them can be moved with the pointer and the arrow keys. */
import {
  type CSSProperties,
  Fragment,
  isValidElement,
  type KeyboardEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  useRef,
} from 'react';
import './controls.css';

type PartSize = Readonly<{ unit: 'px' | 'share'; value: number }>;

interface SplitProps {
  readonly direction: 'row' | 'column';
  readonly sizes: readonly PartSize[];
  readonly children: readonly ReactNode[];
  /** Names of the parts, for accessible names of the handles. */
  readonly names: readonly string[];
  /** Smallest size of a part in CSS pixels. */
  readonly smallest: number;
  readonly onResize: (sizes: readonly PartSize[]) => void;
}

const KEY_STEP_PX = 16;

function styleOf(size: PartSize): CSSProperties {
  return size.unit === 'px' ? { flex: `0 1 ${size.value}px` } : { flex: `${size.value} 1 0px` };
}

/** Sizes after moving the handle after part `index` by `delta` px. `measured`: current sizes of the parts in px. */
export function movedSizes(
  sizes: readonly PartSize[],
  measured: readonly number[],
  index: number,
  delta: number,
  smallest: number,
): readonly PartSize[] {
  const before = measured[index] ?? 0;
  const after = measured[index + 1] ?? 0;
  const room = Math.min(Math.max(delta, smallest - before), after - smallest);
  if (before + after < 2 * smallest) return sizes;
  const wanted = measured.map((size, i) => (i === index ? before + room : i === index + 1 ? after - room : size));
  // Recompute all shares from pixels, so that only the two parts at the handle change their size.
  const total = wanted.reduce((sum, size, i) => (sizes[i]?.unit === 'share' ? sum + size : sum), 0);
  const shares = sizes.reduce((sum, size) => (size.unit === 'share' ? sum + size.value : sum), 0);
  return sizes.map((size, i) =>
    size.unit === 'px'
      ? { unit: 'px', value: Math.round(wanted[i] ?? size.value) }
      : { unit: 'share', value: Math.max(0.01, (shares * (wanted[i] ?? 0)) / total) },
  );
}

export function Split({ direction, sizes, children, names, smallest, onResize }: SplitProps): ReactElement {
  const container = useRef<HTMLDivElement>(null);
  const drag = useRef<{ readonly at: number; readonly sizes: readonly PartSize[]; readonly measured: number[] } | null>(
    null,
  );

  const measure = (): number[] =>
    [...(container.current?.children ?? [])]
      .filter((element) => element.classList.contains('split__part'))
      .map((element) => {
        const box = element.getBoundingClientRect();
        return direction === 'row' ? box.width : box.height;
      });
  const along = (event: PointerEvent): number => (direction === 'row' ? event.clientX : event.clientY);

  const press = (event: PointerEvent<HTMLElement>): void => {
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { at: along(event), sizes, measured: measure() };
  };
  const move = (index: number, event: PointerEvent<HTMLElement>): void => {
    const start = drag.current;
    if (start === null) return;
    onResize(movedSizes(start.sizes, start.measured, index, along(event) - start.at, smallest));
  };
  const key = (index: number, event: KeyboardEvent): void => {
    const back = direction === 'row' ? 'ArrowLeft' : 'ArrowUp';
    const forth = direction === 'row' ? 'ArrowRight' : 'ArrowDown';
    if (event.key !== back && event.key !== forth) return;
    event.preventDefault();
    const step = event.key === forth ? KEY_STEP_PX : -KEY_STEP_PX;
    onResize(movedSizes(sizes, measure(), index, event.shiftKey ? step * 4 : step, smallest));
  };

  return (
    <div className={`split flex wide split--${direction}`} ref={container}>
      {children.map((child, index) => (
        // Use the part's key, because a part whose name changes is still the same part.
        <Fragment key={isValidElement(child) && child.key !== null ? child.key : index}>
          <div className="split__part flex" style={styleOf(sizes[index] ?? { unit: 'share', value: 1 })}>
            {child}
          </div>
          {index === children.length - 1 ? null : (
            // biome-ignore lint/a11y/useSemanticElements: a movable separator has a value, which <hr> cannot have
            <div
              className="split__handle rigid relative"
              role="separator"
              tabIndex={0}
              aria-label={`Between ${names[index]} and ${names[index + 1]}`}
              aria-orientation={direction === 'row' ? 'vertical' : 'horizontal'}
              aria-valuenow={Math.round(sizes[index]?.value ?? 0)}
              onPointerDown={press}
              onPointerMove={(event) => move(index, event)}
              onPointerUp={() => {
                drag.current = null;
              }}
              onKeyDown={(event) => key(index, event)}
            />
          )}
        </Fragment>
      ))}
    </div>
  );
}
