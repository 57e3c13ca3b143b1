/** Unsaved work of programs and pages that ended. Each item can be recovered, discarded or left for later. */
import { type ReactElement, useState } from 'react';
import { type RecoverableItem, SHORT_RUNS_NOTE } from '../../../electron/contract/recovery.ts';
import { timeOfDay } from '../../../electron/domain/numbers.ts';
import type { DialogKinds } from '../../state/dialogs.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Dialog } from '../../widgets/floating/dialog.tsx';
import { useWorkbench } from '../../workbench/context.ts';
import './dialogs.css';

interface RecoverDialogProps {
  readonly request: DialogKinds['recover']['request'];
  readonly close: () => void;
}

function describe(item: RecoverableItem): string {
  if (item.kind === 'draft') return `Edits of ${item.place ?? 'a scenario that was never saved'}`;
  if (item.kind === 'session') {
    return item.finished
      ? `A benchmark of ${item.upTo}, not saved`
      : `A benchmark that was still running: ${item.upTo}`;
  }
  return item.finished ? `A run of ${item.upTo}, not saved` : `A run that was still in progress: ${item.upTo}`;
}

export default function RecoverDialog({ request, close }: RecoverDialogProps): ReactElement {
  const { recovery } = useWorkbench();
  const [items, setItems] = useState(request.items);
  const without = (item: RecoverableItem): readonly RecoverableItem[] => items.filter((each) => each !== item);
  const leave = (rest: readonly RecoverableItem[]): void => (rest.length === 0 ? close() : setItems(rest));
  const discard = async (item: RecoverableItem): Promise<void> => {
    await recovery.discard(item);
    leave(without(item));
  };
  const take = async (item: RecoverableItem): Promise<void> => {
    // Recovered edits replace the form's contents, which may open another dialog.
    if (item.kind === 'draft') close();
    if ((await recovery.recoverItem(item)) && item.kind !== 'draft') leave(without(item));
  };
  return (
    <Dialog
      title="Unsaved work"
      size="large"
      onDismiss={close}
      actions={<Button onPress={close}>Keep for later</Button>}
    >
      <p>
        The program or its page closed before this was saved. Work that you do not recover now remains available.{' '}
        {SHORT_RUNS_NOTE}
      </p>
      <ul className="recover">
        {items.map((item) => (
          <li className="grid line-above" key={item.id}>
            <span className="semi-strong ink break-anywhere">{item.title}</span>
            <span className="text-right">{timeOfDay(item.time)}</span>
            <span className="break-anywhere">{describe(item)}</span>
            <span className="recover__actions flex gap-m">
              <Button tone="quiet" icon="trash" onPress={() => void discard(item)}>
                Discard
              </Button>
              <Button tone="primary" autoFocus={item === items[0]} onPress={() => void take(item)}>
                Recover
              </Button>
            </span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
