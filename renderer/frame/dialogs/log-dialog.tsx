/** Dialog with the end of the program's log. */
import { type ReactElement, useEffect, useRef } from 'react';
import type { DialogKinds } from '../../state/dialogs.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Dialog } from '../../widgets/floating/dialog.tsx';

interface LogDialogProps {
  readonly request: DialogKinds['log']['request'];
  readonly close: () => void;
}

export default function LogDialog({ request, close }: LogDialogProps): ReactElement {
  const { file, text } = request;
  const log = useRef<HTMLPreElement>(null);
  // Scroll to the newest lines.
  useEffect(() => log.current?.scrollTo(0, log.current.scrollHeight), []);
  return (
    <Dialog
      title="Log"
      size="large"
      onDismiss={close}
      onSubmit={close}
      actions={
        <>
          <Button icon="copy" onPress={() => void navigator.clipboard.writeText(text)}>
            Copy
          </Button>
          <Button tone="primary" autoFocus onPress={close}>
            Close
          </Button>
        </>
      }
    >
      {text === '' ? (
        <p>Nothing has been logged yet.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
        <pre ref={log} className="log-dialog selectable" role="log" tabIndex={0} aria-label="Lines of the log">
          {text}
        </pre>
      )}
      {file === null ? null : <p className="dialog-hint faint break-anywhere">Saved in {file}</p>}
    </Dialog>
  );
}
