/** Differences between two scenarios: field, old value, new value, each with its unit. */
import type { ReactElement } from 'react';
import { scenarioDifferences } from '../../../electron/contract/scenario/index.ts';
import type { DialogKinds } from '../../state/dialogs.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Dialog } from '../../widgets/floating/dialog.tsx';
import './dialogs.css';

interface DiffDialogProps {
  readonly request: DialogKinds['diff']['request'];
  readonly close: () => void;
}

function countOfChanges(count: number): string {
  if (count === 0) return 'They are identical.';
  return count === 1 ? 'One field differs.' : `${count} fields differ.`;
}

export default function DiffDialog({ request, close }: DiffDialogProps): ReactElement {
  const { before, after } = request;
  const rows = scenarioDifferences(before.document, after.document);
  return (
    <Dialog
      title="Differences"
      size="large"
      onDismiss={close}
      onSubmit={close}
      actions={
        <Button tone="primary" autoFocus onPress={close}>
          Close
        </Button>
      }
    >
      <p role="status">{countOfChanges(rows.length)}</p>
      {rows.length === 0 ? null : (
        <table className="table diff wide selectable">
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">{before.name}</th>
              <th scope="col">{after.name}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.path}>
                <th scope="row">
                  {row.title}
                  <code className="faint small">{row.path}</code>
                </th>
                <td data-absent={row.absent === 'before'}>{row.before}</td>
                <td data-absent={row.absent === 'after'}>{row.after}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Dialog>
  );
}
