/** Dialog for the user's tags and remark on a file in the library. */
import { type ReactElement, useState } from 'react';
import { MAX_TAGS } from '../../../electron/contract/files.ts';
import type { DialogKinds } from '../../state/dialogs.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { Dialog } from '../../widgets/floating/dialog.tsx';

interface LabelsDialogProps {
  readonly request: DialogKinds['labels']['request'];
  readonly answer: (answer: DialogKinds['labels']['answer'] | null) => void;
}

/** Tags from comma-separated text, without duplicates. */
function tagsOf(text: string): readonly string[] {
  const tags = text.split(',').map((tag) => tag.trim().slice(0, 40));
  return [...new Set(tags.filter((tag) => tag !== ''))].slice(0, MAX_TAGS);
}

export default function LabelsDialog({ request, answer }: LabelsDialogProps): ReactElement {
  const [tags, setTags] = useState(request.tags.join(', '));
  const [remark, setRemark] = useState(request.remark);
  const chosen = tagsOf(tags);
  const offered = request.known.filter((tag) => !chosen.includes(tag)).slice(0, 8);
  const submit = (): void => answer({ tags: chosen, remark: remark.trim() });
  return (
    <Dialog
      title={`Tags and notes of ${request.name}`}
      onDismiss={() => answer(null)}
      onSubmit={submit}
      actions={
        <>
          <Button onPress={() => answer(null)}>Cancel</Button>
          <Button tone="primary" onPress={submit}>
            Keep
          </Button>
        </>
      }
    >
      <div className="labels-dialog grid gap-s">
        <label htmlFor="labels-tags">Tags, separated by commas</label>
        <TextField id="labels-tags" value={tags} onChange={setTags} placeholder="talk, checked" autoFocus />
        {offered.length === 0 ? null : (
          <div className="flex wrap gap-s">
            {offered.map((tag) => (
              <Button key={tag} tone="quiet" icon="plus" onPress={() => setTags([...chosen, tag].join(', '))}>
                {tag}
              </Button>
            ))}
          </div>
        )}
        <label htmlFor="labels-remark">Remark</label>
        <TextField id="labels-remark" lines={3} value={remark} onChange={setRemark} />
      </div>
    </Dialog>
  );
}
