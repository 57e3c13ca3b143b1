/** Named views of a study, saved in its folder so that they move with it. */
import { type ReactElement, useEffect, useState } from 'react';
import type { StudyId, StudyView, StudyViewSettings } from '../../../electron/contract/study/calls.ts';
import { sameJson } from '../../base/same-json.ts';
import { Button, IconButton } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { useWorkbench } from '../../workbench/context.ts';

const NO_VIEW = '';

interface ViewsMenuProps {
  readonly study: StudyId;
  readonly look: StudyViewSettings;
  readonly onLook: (look: StudyViewSettings) => void;
}

export function ViewsMenu({ study, look, onLook }: ViewsMenuProps): ReactElement {
  const { client, stores } = useWorkbench();
  const [views, setViews] = useState<readonly StudyView[]>([]);
  const [naming, setNaming] = useState<string | null>(null);
  useEffect(() => {
    let current = true;
    client.call('study.views', { study }).then(
      (answer) => current && setViews(answer.views),
      (error: unknown) => stores.notices.fail('The views of the study could not be read', error),
    );
    return () => {
      current = false;
    };
  }, [client, stores, study]);
  const keep = (next: readonly StudyView[]): void => {
    const before = views;
    setViews(next);
    client.call('study.keepViews', { study, views: next }).catch((error: unknown) => {
      setViews(before);
      stores.notices.fail('The view could not be saved', error);
    });
  };
  const shown = views.find((view) => sameJson(view.look, look))?.name ?? NO_VIEW;
  const save = (): void => {
    const name = (naming ?? '').trim();
    if (name === '') return;
    keep([...views.filter((view) => view.name !== name), { name, look }]);
    setNaming(null);
  };
  if (naming !== null)
    return (
      <form
        className="studies__views center gap-s"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <TextField label="Name of the view" placeholder="name" value={naming} autoFocus onChange={setNaming} />
        <Button disabled={naming.trim() === '' || naming.length > 60} onPress={save}>
          Save
        </Button>
        <IconButton icon="close" label="Do not save the view" onPress={() => setNaming(null)} />
      </form>
    );
  return (
    <span className="studies__views center gap-s">
      {views.length === 0 ? null : (
        <Select
          label="Saved view"
          value={shown}
          options={[{ value: NO_VIEW, label: 'no view' }, ...views.map(({ name }) => ({ value: name, label: name }))]}
          onChange={(name) => {
            const found = views.find((view) => view.name === name);
            if (found !== undefined) onLook(found.look);
          }}
        />
      )}
      {shown === NO_VIEW ? (
        <Button icon="save" onPress={() => setNaming('')}>
          Save view
        </Button>
      ) : (
        <IconButton
          icon="trash"
          label={`Remove the view ${shown}`}
          onPress={() => keep(views.filter(({ name }) => name !== shown))}
        />
      )}
    </span>
  );
}
