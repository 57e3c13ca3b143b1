/** Current page of the handbook, the pages before it, and the panel that was last in focus. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { type HandbookLink, handbookPages } from '../base/handbook-pages.ts';
import { panelSlots } from './layout/defaults.ts';

/** A heading of a page. */
export interface Part {
  readonly page: string;
  readonly anchor: string;
  /** Title of the page. */
  readonly title: string;
  readonly heading: string;
}

interface HandbookState {
  /** Every heading in reading order; empty until the pages are loaded. */
  readonly parts: readonly Part[];
  readonly place: HandbookLink;
  /** Previous pages, latest last. */
  readonly history: readonly HandbookLink[];
  /** Search query, retained when the panel moves. If empty, the page is shown. */
  readonly query: string;
  /** Panel that was last in focus; null if none was. */
  readonly focusedPanel: string | null;
}

export interface HandbookStore extends StoreApi<HandbookState> {
  open(place: HandbookLink): void;
  back(): void;
  search(query: string): void;
  focused(panel: string): void;
  /** Handbook page of the panel in focus. */
  placeOfFocus(): HandbookLink;
}

const first: HandbookLink = { page: handbookPages[0]?.id ?? '', anchor: null };

/** Maximum number of steps back. */
const HISTORY_LENGTH = 50;

const isSameLink = (a: HandbookLink, b: HandbookLink): boolean => a.page === b.page && a.anchor === b.anchor;

export function createHandbookStore(): HandbookStore {
  const store = createStore<HandbookState>(() => ({
    parts: [],
    place: first,
    history: [],
    query: '',
    focusedPanel: null,
  }));
  return {
    ...store,
    open: (place) =>
      store.setState((state) =>
        isSameLink(state.place, place)
          ? { place: { ...place }, query: '' }
          : { place, history: [...state.history, state.place].slice(-HISTORY_LENGTH), query: '' },
      ),
    back: () =>
      store.setState(({ history, place }) => ({
        place: history.at(-1) ?? place,
        history: history.slice(0, -1),
        query: '',
      })),
    search: (query) => store.setState({ query }),
    focused: (focusedPanel) => store.setState({ focusedPanel }),
    placeOfFocus: () => panelSlots.find(({ id }) => id === store.getState().focusedPanel)?.help ?? first,
  };
}
