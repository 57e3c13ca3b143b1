/** Examples, grouped by the questions that they answer. */
import { Fragment, type ReactElement, useEffect, useState } from 'react';
import groups from '../../../assets/examples/groups.json';
import type { LibraryItem } from '../../../electron/contract/files.ts';
import type { KernelTemplate } from '../../../electron/contract/user-kernels.ts';
import { type ExampleGroup, expandGroups } from '../../../electron/domain/examples.ts';
import { Icon } from '../../widgets/words/icon.tsx';
import { useWorkbench } from '../../workbench/context.ts';
import { useNewKernel } from '../../workbench/offers.tsx';

// Templates for user kernels are listed among the examples. Choosing one creates a kernel in the user's library and
// opens it in the editor.

/** Formula of each template, shown as its thumbnail. */
const formulas: Readonly<Record<string, string>> = { 'vector-add': 'a + b', reduction: 'Σ a', stencil: '← a →' };

/** Templates that contain every searched word. */
export function matchingTemplates(all: readonly KernelTemplate[], text: string): readonly KernelTemplate[] {
  const words = text.toLowerCase().split(/\s+/);
  return all.filter(({ title, says }) => {
    const own = `user kernels of your own ${title} ${says}`.toLowerCase();
    return words.every((word) => own.includes(word));
  });
}

function KernelTemplates({ text }: { readonly text: string }): ReactElement | null {
  const { client, stores } = useWorkbench();
  const [all, setAll] = useState<readonly KernelTemplate[]>([]);
  const begin = useNewKernel();
  useEffect(() => {
    let current = true;
    client.call('userKernels.beginnings', {}).then(
      ({ beginnings }) => current && setAll(beginnings),
      (error: unknown) => current && stores.notices.fail('The kernel templates could not be read', error),
    );
    return () => {
      current = false;
    };
  }, [client, stores]);
  const shown = matchingTemplates(all, text);
  if (shown.length === 0) return null;
  return (
    <>
      <h2 className="library-panel__about">User kernels</h2>
      <h3 className="library-panel__question semi-strong muted">How do I create one from scratch?</h3>
      <ul>
        {shown.map(({ id, title, says }) => (
          <li key={id} className="library-entry grid rounded library-entry--example">
            <button
              type="button"
              className="library-entry__main grid"
              title={`${title}: a kernel, a Python or TypeScript program for its expected result, and a scenario that runs it`}
              onClick={() => void begin(id)}
            >
              <span className="library-thumbnail grid clip muted library-thumbnail--formula" aria-hidden="true">
                {formulas[id] ?? <Icon name="edit" size={16} />}
              </span>
              <span className="library-entry__name semi-strong clip nowrap">{title}</span>
              <span className="library-entry__facts muted clip break-anywhere">{`On a CPU or a GPU: ${says}.`}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

export const exampleGroups: readonly ExampleGroup[] = groups;

interface ShownGroup {
  readonly about: string;
  /** True for the first item of a group, which shows the group's heading. */
  readonly heads: boolean;
  readonly question: string;
  readonly items: readonly LibraryItem[];
}

/** Items in their groups; ungrouped items come last, under “Not sorted”. Empty groups are omitted. */
export function groupItems(items: readonly LibraryItem[]): readonly ShownGroup[] {
  const byKey = new Map(items.map((item) => [item.id, item]));
  const ids = items.map(({ id }) => id);
  const placed = expandGroups(exampleGroups, ids);
  const known = new Set(placed.flatMap(({ files }) => files));
  const others: ExampleGroup = {
    about: 'Others',
    question: 'Not sorted',
    files: ids.filter((id) => !known.has(id)),
  };
  const filled = [...placed, others]
    .map((group) => ({ ...group, items: group.files.flatMap((file) => byKey.get(file) ?? []) }))
    .filter((group) => group.items.length > 0);
  return filled.map(({ about, question, items: own }, i) => ({
    about,
    question,
    items: own,
    heads: filled[i - 1]?.about !== about,
  }));
}

interface ExamplesProps {
  readonly items: readonly LibraryItem[];
  /** Search text; null if filtered by kind or tag, which kernel templates do not have. */
  readonly text: string | null;
  readonly entry: (item: LibraryItem) => ReactElement;
}

export function Examples({ items, text, entry }: ExamplesProps): ReactElement {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
    <section className="library-panel__list grow scroll" aria-label="Examples" tabIndex={0}>
      {groupItems(items).map(({ about, heads, question, items: own }) => (
        <Fragment key={question}>
          {heads ? <h2 className="library-panel__about">{about}</h2> : null}
          <h3 className="library-panel__question semi-strong muted">{question}</h3>
          <ul>{own.map(entry)}</ul>
        </Fragment>
      ))}
      {text === null ? null : <KernelTemplates text={text} />}
    </section>
  );
}
