/** What the host knows to ask of a scenario; null until it has answered. */
import { useEffect, useState } from 'react';
import type { ScenarioDraft } from '../../../../electron/contract/scenario/draft.ts';
import { valueAt } from '../../../../electron/contract/scenario/index.ts';
import type { Result } from '../../../../electron/contract/wire/methods.ts';
import { useWorkbench } from '../../../workbench/context.ts';

/** Asked for when the kind of the problem, its variant or its file changes. */
export function useOffers(draft: ScenarioDraft): Result<'study.offers'> | null {
  const { client } = useWorkbench();
  const [offers, setOffers] = useState<Result<'study.offers'> | null>(null);
  const asked = JSON.stringify({ kind: draft['kind'], problem: { kind: valueAt(draft, ['problem', 'kind']) } });
  useEffect(() => {
    let current = true;
    client.call('study.offers', { document: JSON.parse(asked) }).then(
      (answer) => current && setOffers(answer),
      // Two questions fewer: the others are asked all the same.
      () => current && setOffers(null),
    );
    return () => {
      current = false;
    };
  }, [client, asked]);
  return offers;
}
