/** Whether the Questions panel is in front at the start, and hints of the open question. */
import { z } from 'zod';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { questionOf } from '../base/questions.ts';
import { createPersisted, type SettingsStorage } from './persisted.ts';

const schema = z.strictObject({ atStart: z.boolean() });
type QuestionSettings = Readonly<z.infer<typeof schema>>;

/** Hints of the question that is open. Not saved. */
interface QuestionGuide {
  /** Id of the question; null if no hints are shown. */
  readonly question: string | null;
  /** Indices of its hints that are not dismissed, ascending. */
  readonly remaining: readonly number[];
  /** The hint that the user visited last, and the number of visits (`turn`). Each visit focuses the hint. */
  readonly at: Readonly<{ hint: number; turn: number }>;
}

export interface QuestionsStore extends StoreApi<QuestionSettings> {
  readonly guide: StoreApi<QuestionGuide>;
  begin(question: string): void;
  /** Goes to a hint, unless it was dismissed. */
  go(hint: number): void;
  dismiss(hint: number): void;
  end(): void;
}

const hiddenGuide: QuestionGuide = { question: null, remaining: [], at: { hint: 0, turn: 0 } };

export function createQuestionsStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): QuestionsStore {
  const initial: QuestionSettings = { atStart: true };
  const settings = createPersisted<QuestionSettings>({
    storage,
    name: 'questions',
    version: 1,
    schema,
    initial,
    onReset,
  });
  const guide = createStore<QuestionGuide>(() => hiddenGuide);
  const end = (): void => guide.setState(hiddenGuide);
  return {
    ...settings,
    guide,
    begin: (question) =>
      guide.setState(({ at }) => ({
        question,
        remaining: questionOf(question)?.hints.map((_, place) => place) ?? [],
        at: { hint: 0, turn: at.turn + 1 },
      })),
    go: (hint) =>
      guide.setState(({ at, remaining }) => (remaining.includes(hint) ? { at: { hint, turn: at.turn + 1 } } : {})),
    dismiss: (hint) => {
      const remaining = guide.getState().remaining.filter((one) => one !== hint);
      if (remaining.length === 0) end();
      else guide.setState({ remaining });
    },
    end,
  };
}

/** The next remaining hint; the last one is followed by the first. Null if there is no other. */
export function hintAfter({ remaining }: Pick<QuestionGuide, 'remaining'>, hint: number): number | null {
  const next = remaining.find((one) => one > hint) ?? remaining[0] ?? null;
  return next === hint ? null : next;
}

/** Index of the first remaining hint for a panel; null if it has none. */
export function hintIn({ question, remaining }: QuestionGuide, panel: string): number | null {
  const hints = questionOf(question)?.hints ?? [];
  return remaining.find((place) => hints[place]?.panel === panel) ?? null;
}
