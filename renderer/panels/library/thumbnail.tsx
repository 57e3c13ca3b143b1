/** The small picture beside an example. */
import type { ReactElement } from 'react';
import { Icon, type IconName } from '../../widgets/words/icon.tsx';
import { type Bar, lengths, thumbnailOf } from './thumbnails.ts';

const WIDTH = 48;
const HEIGHT = 30;
const EDGE = 2;

function Bars({ bars }: { readonly bars: readonly Bar[] }): ReactElement {
  const room = (HEIGHT - 2 * EDGE) / bars.length;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {lengths(bars).map((length, i) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: bars have no names, and never change
          key={i}
          className="library-bars__bar"
          data-device={bars[i]?.device}
          data-right={bars[i]?.right}
          x={EDGE}
          y={EDGE + i * room}
          width={length * (WIDTH - 2 * EDGE)}
          height={Math.max(0.75, room * 0.72)}
        />
      ))}
    </svg>
  );
}

export function ExampleThumbnail({ file, icon }: { readonly file: string; readonly icon: IconName }): ReactElement {
  const found = thumbnailOf(file);
  return (
    <span className="library-thumbnail">
      {found === null ? <Icon name={icon} size={16} /> : null}
      {found?.kind === 'field' ? <img src={found.url} alt="" width={WIDTH} height={HEIGHT} loading="lazy" /> : null}
      {found?.kind === 'bars' ? <Bars bars={found.bars} /> : null}
    </span>
  );
}
