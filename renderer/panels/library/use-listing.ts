/** The listing that answers a query, asked for again whenever the library changes. */
import { useEffect, useState } from 'react';
import { type LibraryPlace, type LibraryQuery, libraryPlaceSchema } from '../../../electron/contract/library.ts';
import type { Result } from '../../../electron/contract/wire/methods.ts';
import { errorText } from '../../state/notices.ts';
import { useWorkbench } from '../../workbench/context.ts';

interface Listing {
  /** Null before the first answer. */
  readonly result: Result<'library.search'> | null;
  /** Where else there is something, of a query that seeks; in the order of the places. */
  readonly elsewhere: readonly Elsewhere[];
  readonly failure: string | null;
}

/** Hits of a query in another place. */
export interface Elsewhere {
  readonly place: LibraryPlace;
  readonly total: number;
}

/** Typing a word asks once, not for each letter. */
const TYPING_MS = 120;

export function useListing(query: LibraryQuery): Listing {
  const { client } = useWorkbench();
  const [listing, setListing] = useState<Listing>({ result: null, elsewhere: [], failure: null });
  const [revision, setRevision] = useState(0);

  useEffect(() => {
    const handle = client.stream('library', {}, { frame: (frame) => setRevision(frame.revision) });
    return () => handle.close();
  }, [client]);

  const { place, text, kind, tag, order, limit } = query;
  useEffect(() => {
    // The stream's first frame asks the first question.
    if (revision === 0) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const ask = async (where: LibraryPlace, most: number) => {
        const params = { place: where, text, kind, tag, order, limit: most };
        const answer = await client.callCancellable('library.search', params, stop.signal);
        return answer.status === 'cancelled' ? null : answer.value;
      };
      const seeks = text.trim() !== '' || kind !== null || tag !== null;
      const others = seeks ? libraryPlaceSchema.options.filter((other) => other !== place) : [];
      Promise.all([ask(place, limit), ...others.map((other) => ask(other, 1))]).then(
        ([result = null, ...counts]) => {
          if (stop.signal.aborted || result === null) return;
          const elsewhere = others
            .map((other, i) => ({ place: other, total: counts[i]?.total ?? 0 }))
            .filter(({ total }) => total > 0);
          setListing({ result, elsewhere, failure: null });
        },
        (error: unknown) => {
          if (!stop.signal.aborted) setListing((before) => ({ ...before, failure: errorText(error) }));
        },
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [client, revision, place, text, kind, tag, order, limit]);
  return listing;
}
