/** The listing that answers a query, asked for again whenever the library changes. */
import { useEffect, useState } from 'react';
import type { LibraryQuery } from '../../../electron/contract/library.ts';
import type { Result } from '../../../electron/contract/wire/methods.ts';
import { errorText } from '../../state/notices.ts';
import { useWorkbench } from '../../workbench/context.ts';

export interface Listing {
  /** Null before the first answer. */
  readonly result: Result<'library.search'> | null;
  readonly failure: string | null;
}

/** Typing a word asks once, not for each letter. */
const TYPING_MS = 120;

export function useListing(query: LibraryQuery): Listing {
  const { client } = useWorkbench();
  const [listing, setListing] = useState<Listing>({ result: null, failure: null });
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
      client.callCancellable('library.search', { place, text, kind, tag, order, limit }, stop.signal).then(
        (answer) => {
          if (answer.status !== 'cancelled' && !stop.signal.aborted)
            setListing({ result: answer.value, failure: null });
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
