/** Icons on a 16 × 16 grid, drawn with strokes in the colour of the surrounding text. */
import type { ReactElement } from 'react';

const paths = {
  new: 'M4 1.5h5l3.5 3.5v9.5h-8.5zM9 1.5v3.5h3.5',
  open: 'M1.5 13.5v-10.5h4.5l1.5 2h6v2.5M1.5 13.5l2.2-6h11.3l-2.2 6z',
  save: 'M2 2h9.5l2.5 2.5v9.5h-12zM4.5 2v4h6v-4M4.5 14v-5h7v5',
  edit: 'M2.5 13.5l.8-3.3 7.7-7.7 2.5 2.5-7.7 7.7zM9.3 4.2l2.5 2.5',
  undo: 'M5.5 3l-3 3 3 3M2.5 6h7a3.75 3.75 0 0 1 0 7.5h-4.5',
  redo: 'M10.5 3l3 3-3 3M13.5 6h-7a3.75 3.75 0 0 0 0 7.5h4.5',
  run: 'M4.5 2.5l8.5 5.5-8.5 5.5z',
  live: 'M9 1.5l-5.5 7.5h4l-1 5.5 6-8h-4z',
  stop: 'M3.5 3.5h9v9h-9z',
  pause: 'M4 2.5h2.5v11h-2.5zM9.5 2.5h2.5v11h-2.5z',
  quad: 'M2 2.5h12v11h-12zM8 2.5v11M2 8h12',
  chevron: 'M4 6l4 4 4-4',
  right: 'M6 4l4 4-4 4',
  check: 'M3 8.5l3.2 3.2 6.8-7.2',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  arrow: 'M2 4h4c4 0 2 8 6 8h2M11.5 9.5l2.5 2.5-2.5 2.5',
  trash: 'M2.5 4h11M6 4v-1.5h4v1.5M4 4l.6 9.5h6.8l.6-9.5M6.7 6.5v4.5M9.3 6.5v4.5',
  reset: 'M3 3v3.5h3.5M3.3 6.3a5.2 5.2 0 1 1-.4 3',
  warning: 'M8 2l6.5 11.5h-13zM8 6.5v3.5M8 11.6v.4',
  error: 'M8 1.8a6.2 6.2 0 1 1 0 12.4a6.2 6.2 0 0 1 0-12.4M8 4.8v4M8 10.9v.4',
  info: 'M8 1.8a6.2 6.2 0 1 1 0 12.4a6.2 6.2 0 0 1 0-12.4M8 7.2v4M8 4.7v.4',
  done: 'M8 1.8a6.2 6.2 0 1 1 0 12.4a6.2 6.2 0 0 1 0-12.4M5.2 8.2l2 2 3.6-4',
  clock: 'M8 1.8a6.2 6.2 0 1 1 0 12.4a6.2 6.2 0 0 1 0-12.4M8 4.5v3.7l2.4 1.5',
  sun: 'M8 5a3 3 0 1 1 0 6a3 3 0 0 1 0-6M8 1v1.5M8 13.5v1.5M1 8h1.5M13.5 8h1.5M3 3l1.1 1.1M11.9 11.9l1.1 1.1M13 3l-1.1 1.1M4.1 11.9l-1.1 1.1',
  moon: 'M13.5 9.8a6 6 0 0 1-7.3-7.3a6 6 0 1 0 7.3 7.3',
  screen: 'M1.5 2.5h13v9h-13zM5.5 14h5M8 11.5v2.5',
  up: 'M8 13v-10M4 7l4-4 4 4',
  down: 'M8 3v10M4 9l4 4 4-4',
  copy: 'M5.5 5.5h8v8h-8zM2.5 10.5v-8h8',
  download: 'M8 2v8M4.5 7l3.5 3.5 3.5-3.5M2.5 13.5h11',
  fit: 'M2 5.5v-3.5h3.5M14 5.5v-3.5h-3.5M2 10.5v3.5h3.5M14 10.5v3.5h-3.5',
  shrink: 'M5.5 2v3.5h-3.5M10.5 2v3.5h3.5M5.5 14v-3.5h-3.5M10.5 14v-3.5h3.5',
  dots: 'M3 8h.01M8 8h.01M13 8h.01',
  pin: 'M8 1.8v2.4M8 11.8v2.4M1.8 8h2.4M11.8 8h2.4M8 5a3 3 0 1 1 0 6a3 3 0 0 1 0-6',
  ledger: 'M2.5 2.5h11v11h-11zM2.5 6h11M2.5 9.7h11M8 6v7.5',
  curve: 'M2 13.5c4 0 6-.5 7.5-5.5s2-5.5 2.6-2.5.7 8 1.9 8',
  map: 'M2 2.5h12v11h-12zM2 8h7.5M9.5 6.2v3.6',
  sliders: 'M2 4h6M11 4h3M2 12h3M8 12h6M9.5 2.5v3M6.5 10.5v3M2 8h8M13 8h1M11.5 6.5v3',
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 0 1 0-9M10.3 10.3l3.7 3.7',
  library: 'M2.5 2.5h2.5v11h-2.5zM5 2.5h2.5v11h-2.5zM9 3.2l2.4-.7 2.9 10.5-2.4.7z',
  tag: 'M2 8.2v-5.7h5.7l6.3 6.3-5.7 5.7zM5 5.5h.01',
  lanes: 'M1.5 3.5h5M8.5 3.5h6M4 8h8M1.5 12.5h3M6.5 12.5h8',
  list: 'M5.5 3.5h8.5M5.5 8h8.5M5.5 12.5h8.5M2.2 3.5h.1M2.2 8h.1M2.2 12.5h.1',
  ladder: 'M2 13.5h3v-3h3v-3h3v-3h3M2 13.5v-11M2 13.5h12',
  gauge: 'M2 11.5a6 6 0 1 1 12 0M8 11.5l3-4',
} as const;

export type IconName = keyof typeof paths;

const filledIcons: ReadonlySet<IconName> = new Set(['run', 'stop', 'pause']);

/** Decorative icon: the control around it has the accessible name. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }): ReactElement {
  return (
    <svg
      className="icon"
      width={`${size / 16}rem`}
      height={`${size / 16}rem`}
      viewBox="0 0 16 16"
      fill={filledIcons.has(name) ? 'currentColor' : 'none'}
      stroke="currentColor"
      strokeWidth={name === 'dots' ? 2 : 1.3}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}
