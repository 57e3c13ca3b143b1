/** Dialog that asks for the name of a file in the library. */
import { type ReactElement, useState } from 'react';
import type { DialogKinds } from '../../state/dialogs.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { Dialog } from '../../widgets/floating/dialog.tsx';
import { safeFileName, withExtension } from '../../workbench/actions/save-file.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';

interface NameDialogProps {
  readonly request: DialogKinds['name']['request'];
  readonly answer: (name: string | null) => void;
}

export default function NameDialog({ request, answer }: NameDialogProps): ReactElement {
  const { stores } = useWorkbench();
  const folder = useSelected(stores.connection, (state) => state.capabilities.shell.libraryFolder);
  const [name, setName] = useState(request.suggested);
  const valid = name.trim() !== '';
  return (
    <Dialog
      title={request.title}
      onDismiss={() => answer(null)}
      onSubmit={() => valid && answer(name)}
      actions={
        <>
          <Button onPress={() => answer(null)}>Cancel</Button>
          <Button tone="primary" disabled={!valid} onPress={() => answer(name)}>
            Save
          </Button>
        </>
      }
    >
      <TextField label="File name" value={name} onChange={setName} autoFocus />
      <p className="dialog-hint faint break-anywhere">
        {valid ? withExtension(safeFileName(name), request.extension) : 'A file needs a name'} in {folder}
      </p>
    </Dialog>
  );
}
