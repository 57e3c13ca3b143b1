/** The menu in a plot's bar that exports what the plot shows. */
import type { ReactElement } from 'react';
import type { FigureFormat } from '../../drawing/export/figure.ts';
import { Icon } from '../words/icon.tsx';
import { MenuButton } from './menu.tsx';

const formats: readonly { readonly id: FigureFormat; readonly label: string; readonly detail: string }[] = [
  { id: 'png', label: 'PNG', detail: 'Picture, twice the pixels of the screen' },
  { id: 'svg', label: 'SVG', detail: 'Vector graphics: axes, text and lines' },
  { id: 'csv', label: 'CSV', detail: 'The plotted numbers as text' },
  { id: 'npz', label: 'NPZ', detail: 'The plotted numbers for NumPy' },
  { id: 'h5', label: 'HDF5', detail: 'The plotted numbers with axes and units' },
];

export interface ExportMenuProps {
  /** Exported item, in the menu's name: `Export Dose map`. */
  readonly what: string;
  readonly disabled?: boolean;
  readonly onChoose: (format: FigureFormat) => void;
  /** Further files that can be written of what is shown. */
  readonly files?: readonly { readonly id: string; readonly label: string; readonly onChoose: () => void }[];
}

export function ExportMenu({ what, disabled = false, onChoose, files = [] }: ExportMenuProps): ReactElement {
  const label = `Export ${what}`;
  return (
    <MenuButton
      label={label}
      title={label}
      action="export"
      align="end"
      className="icon-button"
      items={[
        ...formats.map(({ id, label: name, detail }) => ({
          id,
          label: name,
          detail: disabled ? 'Not here: nothing is plotted yet' : detail,
          disabled,
          ...(id === 'png' && { heading: 'Picture' }),
          ...(id === 'csv' && { heading: 'Numbers', startsGroup: true }),
          onChoose: () => onChoose(id),
        })),
        ...files.map(({ id, label: name, onChoose: write }, at) => ({
          id: `file-${id}`,
          label: name,
          disabled,
          ...(at === 0 && { heading: 'Files', startsGroup: true }),
          onChoose: write,
        })),
      ]}
    >
      <Icon name="download" size={14} />
    </MenuButton>
  );
}
