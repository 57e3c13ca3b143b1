/** Named values with their units, in columns that line up. */
import type { ReactElement, ReactNode } from 'react';
import './readout.css';

export interface ReadoutItem {
  readonly name: ReactNode;
  readonly value: ReactNode;
  readonly unit?: string;
  /** Meaning and derivation. */
  readonly title?: string;
  readonly swatch?: 'r80' | 'reference' | 'curve';
  readonly strong?: boolean;
}

export function Readouts({ items }: { readonly items: readonly ReadoutItem[] }): ReactElement {
  return (
    <dl className="readouts">
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a fixed list whose names may be elements
        <div key={index} className="readouts__item" title={item.title} data-strong={item.strong ?? false}>
          <dt>
            {item.swatch === undefined ? null : (
              <span className={`readouts__swatch readouts__swatch--${item.swatch}`} />
            )}
            {item.name}
          </dt>
          <dd className="selectable">
            {item.value}
            {item.unit ? <span className="readouts__unit">{` ${item.unit}`}</span> : null}
          </dd>
        </div>
      ))}
    </dl>
  );
}
