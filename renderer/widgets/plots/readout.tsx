/** Named values with units, in aligned columns. */
import type { ReactElement, ReactNode } from 'react';
import './plots.css';

export interface ReadoutItem {
  readonly name: ReactNode;
  readonly value: ReactNode;
  readonly unit?: string;
  /** Tooltip with the meaning and derivation of the value. */
  readonly title?: string;
  readonly swatch?: 'r80' | 'reference' | 'curve';
  readonly strong?: boolean;
}

export function Readouts({ items }: { readonly items: readonly ReadoutItem[] }): ReactElement {
  return (
    <dl className="readouts grid">
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a fixed list whose names may be elements
        <div key={index} className="readouts__item line-below" title={item.title} data-strong={item.strong ?? false}>
          <dt className="nowrap">
            {item.swatch === undefined ? null : (
              <span className={`readouts__swatch readouts__swatch--${item.swatch}`} />
            )}
            {item.name}
          </dt>
          <dd className="selectable nowrap semi-strong">
            {item.value}
            {item.unit ? <span className="readouts__unit faint">{` ${item.unit}`}</span> : null}
          </dd>
        </div>
      ))}
    </dl>
  );
}
