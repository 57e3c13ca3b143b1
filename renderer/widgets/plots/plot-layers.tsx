/** The two canvases of a plot: the picture, and above it an overlay that follows the pointer. */
import type { ReactElement, RefObject } from 'react';
import './plots.css';

interface PlotLayersProps {
  readonly below: RefObject<HTMLCanvasElement | null>;
  readonly above: RefObject<HTMLCanvasElement | null>;
  readonly label: string;
  /** True if the plot handles keys and can be focused. */
  readonly keys?: boolean;
  readonly testId?: string;
}

export function PlotLayers({ below, above, label, keys = false, testId }: PlotLayersProps): ReactElement {
  return (
    <>
      <canvas ref={below} className="plot-panel__layer overlay wide" />
      <canvas
        ref={above}
        className="plot-panel__layer overlay wide plot-panel__layer--above"
        tabIndex={keys ? 0 : undefined}
        role="img"
        aria-label={label}
        data-testid={testId}
      />
    </>
  );
}
