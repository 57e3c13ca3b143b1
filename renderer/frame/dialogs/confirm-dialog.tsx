/** A question with a few answers, and the faults that it is about. */
import type { ReactElement } from 'react';
import type { DialogKinds } from '../../state/dialogs.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Dialog } from '../../widgets/floating/dialog.tsx';
import { IssueList } from '../../widgets/words/issue-list.tsx';

interface ConfirmDialogProps {
  readonly request: DialogKinds['confirm']['request'];
  readonly answer: (id: string | null) => void;
}

export function ConfirmDialog({ request, answer }: ConfirmDialogProps): ReactElement {
  const { title, text, issues = [], choices } = request;
  const primary = choices.find((choice) => choice.tone === 'primary');
  return (
    <Dialog
      title={title}
      size={issues.length > 0 ? 'large' : 'small'}
      onDismiss={() => answer(null)}
      onSubmit={() => primary !== undefined && answer(primary.id)}
      actions={choices.map((choice) => (
        <Button
          key={choice.id}
          tone={choice.tone ?? 'normal'}
          autoFocus={choice === primary}
          onPress={() => answer(choice.id)}
        >
          {choice.label}
        </Button>
      ))}
    >
      <p>{text}</p>
      {issues.length === 0 ? null : (
        <div className="dialog-issues">
          <IssueList issues={issues} />
        </div>
      )}
    </Dialog>
  );
}
