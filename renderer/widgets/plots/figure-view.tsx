/** A figure on the page, as wide as its container and in the colours of the theme. */
import { createElement, type ReactElement, type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { type Figure, type FigureSize, pathOf, type Shape } from '../../drawing/figures/figure.ts';
import './plots.css';

/** Label size relative to the page's font size, equal to that on canvases. */
const LABEL = 0.6875;
/** Minimum width of a figure in CSS pixels; a narrower container scrolls. */
const MIN_FIGURE_WIDTH = 420;

function useFigureSize(): { readonly ref: RefObject<HTMLElement | null>; readonly size: FigureSize | null } {
  const ref = useRef<HTMLElement>(null);
  const [size, setSize] = useState<FigureSize | null>(null);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const measure = (): void => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
      const width = Math.max(MIN_FIGURE_WIDTH, Math.floor(element.clientWidth));
      setSize((before) =>
        before?.width === width && before.label === LABEL * rem ? before : { width, label: LABEL * rem },
      );
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, size };
}

function tooltip(text: string | undefined): ReactElement | null {
  return text === undefined ? null : <title>{text}</title>;
}

function shapeElement(shape: Shape, key: number): ReactElement {
  const color = 'ink' in shape ? `var(--${shape.ink})` : undefined;
  switch (shape.kind) {
    case 'line':
      return (
        <line
          key={key}
          x1={shape.from[0]}
          y1={shape.from[1]}
          x2={shape.to[0]}
          y2={shape.to[1]}
          stroke={color}
          strokeWidth={shape.width ?? 1}
          strokeDasharray={shape.dash?.join(' ')}
        />
      );
    case 'path':
      return (
        <path
          key={key}
          d={pathOf(shape.points)}
          fill="none"
          stroke={color}
          strokeWidth={shape.width ?? 1.5}
          strokeLinejoin="round"
          strokeDasharray={shape.dash?.join(' ')}
        />
      );
    case 'area':
      return <path key={key} d={`${pathOf(shape.points)}Z`} fill={color} opacity={shape.opacity} />;
    case 'rect':
      return (
        <rect
          key={key}
          x={shape.x}
          y={shape.y}
          width={shape.width}
          height={shape.height}
          fill={color}
          opacity={shape.opacity}
        >
          {tooltip(shape.tip)}
        </rect>
      );
    case 'frame':
      return (
        <rect key={key} x={shape.x} y={shape.y} width={shape.width} height={shape.height} fill="none" stroke={color} />
      );
    case 'dot': {
      const { at, radius, form = 'round' } = shape;
      const painted =
        form === 'ring' ? { fill: 'none', stroke: color, strokeWidth: 1.5 } : { fill: color, opacity: shape.opacity };
      if (form === 'square') {
        const side = { x: at[0] - radius, y: at[1] - radius, width: 2 * radius, height: 2 * radius };
        return createElement('rect', { key, ...side, ...painted }, tooltip(shape.tip));
      }
      return createElement('circle', { key, cx: at[0], cy: at[1], r: radius, ...painted }, tooltip(shape.tip));
    }
    case 'text': {
      const [x, y] = shape.at;
      return (
        <text
          key={key}
          x={x}
          y={y}
          fontSize={shape.size}
          fontWeight={shape.bold ? 600 : undefined}
          fill={color}
          textAnchor={shape.anchor ?? 'start'}
          transform={shape.upright ? `rotate(-90 ${x} ${y})` : undefined}
        >
          {shape.text}
        </text>
      );
    }
    case 'image':
      return (
        <image
          key={key}
          x={shape.x}
          y={shape.y}
          width={shape.width}
          height={shape.height}
          preserveAspectRatio="none"
          imageRendering="pixelated"
          href={shape.href}
        />
      );
  }
}

interface FigureViewProps {
  /** Called again when the container is resized; pass the same function while the content is unchanged. */
  readonly make: (size: FigureSize) => Figure;
}

export function FigureView({ make }: FigureViewProps): ReactElement {
  const { ref, size } = useFigureSize();
  const figure = useMemo(() => (size === null ? null : make(size)), [make, size]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
    <section className="figure-view wide" ref={ref} tabIndex={0} aria-label={`Figure: ${figure?.title ?? ''}`}>
      {figure === null ? null : (
        <svg width={figure.width} height={figure.height} viewBox={`0 0 ${figure.width} ${figure.height}`} role="img">
          <title>{figure.title}</title>
          {figure.shapes.map(shapeElement)}
        </svg>
      )}
    </section>
  );
}
