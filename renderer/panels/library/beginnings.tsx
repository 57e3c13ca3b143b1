/** Kernels of one's own from nothing, among the examples: each is made in the user's library, and opens the editor. */
import { type ReactElement, useEffect, useState } from 'react';
import type { Beginning } from '../../../electron/contract/user-kernels.ts';
import { Icon } from '../../widgets/words/icon.tsx';
import { useBeginning } from '../../workbench/beginning.ts';
import { useWorkbench } from '../../workbench/context.ts';

/** What each computes, as small as a picture. */
const formulas: Readonly<Record<string, string>> = { 'vector-add': 'a + b', reduction: 'Σ a', stencil: '← a →' };

/** Every word that is sought stands in it. */
export function sought(all: readonly Beginning[], text: string): readonly Beginning[] {
  const words = text.toLowerCase().split(/\s+/);
  return all.filter(({ title, says }) => {
    const own = `kernel of your own ${title} ${says}`.toLowerCase();
    return words.every((word) => own.includes(word));
  });
}

export function Beginnings({ text }: { readonly text: string }): ReactElement | null {
  const { client, stores } = useWorkbench();
  const [all, setAll] = useState<readonly Beginning[]>([]);
  const begin = useBeginning();
  useEffect(() => {
    let current = true;
    client.call('userKernels.beginnings', {}).then(
      ({ beginnings }) => current && setAll(beginnings),
      (error: unknown) => current && stores.notices.fail('The kernels to begin with were not read', error),
    );
    return () => {
      current = false;
    };
  }, [client, stores]);
  const shown = sought(all, text);
  if (shown.length === 0) return null;
  return (
    <>
      <h2 className="library-panel__about">Kernels of your own</h2>
      <h3 className="library-panel__question">How is one begun from nothing?</h3>
      <ul>
        {shown.map(({ id, title, says }) => (
          <li key={id} className="library-entry library-entry--example">
            <button
              type="button"
              className="library-entry__main"
              title={`${title}: a kernel, its expected answer in Python or TypeScript, and a scenario that runs it`}
              onClick={() => void begin(id)}
            >
              <span className="library-thumbnail library-thumbnail--formula" aria-hidden="true">
                {formulas[id] ?? <Icon name="edit" size={16} />}
              </span>
              <span className="library-entry__name">{title}</span>
              <span className="library-entry__facts">{`On a CPU or a GPU: ${says}.`}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
