/** The menu that makes a report of what is shown. */
import type { ReactElement } from 'react';
import '../controls/button.css';
import { Icon } from '../words/icon.tsx';
import { MenuButton } from './menu.tsx';

interface ReportMenuProps {
  /** A browser prints instead of writing the file itself. */
  readonly desktop: boolean;
  readonly disabled: boolean;
  readonly onChoose: (kind: 'html' | 'pdf') => void;
}

export function ReportMenu({ desktop, disabled, onChoose }: ReportMenuProps): ReactElement {
  const absent = 'Not here: nothing is compared yet';
  return (
    <MenuButton
      label="Report"
      align="end"
      className="button button--normal"
      title="Report of the comparison"
      action="report"
      items={[
        {
          id: 'html',
          label: 'Report as HTML',
          detail: disabled ? absent : 'One file with figures, tables, environment and scenario',
          disabled,
          onChoose: () => onChoose('html'),
        },
        {
          id: 'pdf',
          label: desktop ? 'Report as PDF' : 'Print the report…',
          detail: disabled ? absent : desktop ? 'The same, on paper' : 'The browser saves it as PDF too',
          disabled,
          onChoose: () => onChoose('pdf'),
        },
      ]}
    >
      <span>Report</span>
      <Icon name="chevron" size={11} />
    </MenuButton>
  );
}
