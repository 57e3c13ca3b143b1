/** The two canvases of a plot: the picture, and above it what follows the pointer. */
import type { ReactElement, RefObject } from 'react';
import './plot-panel.css';

interface PlotLayersProps {
  readonly below: RefObject<HTMLCanvasElement | null>;
  readonly above: RefObject<HTMLCanvasElement | null>;
  readonly label: string;
  /** It is moved in with the keyboard. */
  readonly keys?: boolean;
  readonly testId?: string;
}

export function PlotLayers({ below, above, label, keys = false, testId }: PlotLayersProps): ReactElement {
  return (
    <>
      <canvas ref={below} className="plot-panel__layer" />
      <canvas
        ref={above}
        className="plot-panel__layer plot-panel__layer--above"
        tabIndex={keys ? 0 : undefined}
        role="img"
        aria-label={label}
        data-testid={testId}
      />
    </>
  );
}
