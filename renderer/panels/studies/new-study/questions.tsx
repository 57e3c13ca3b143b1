/** The question of a study: one that is often asked, or one of one's own. */
import type { ReactElement } from 'react';
import type { ReadyMade } from './ready-made.ts';

interface QuestionsProps {
  readonly ready: readonly ReadyMade[];
  /** Null: one's own. */
  readonly chosen: ReadyMade | null;
  readonly onChoose: (made: ReadyMade | null) => void;
}

export function Questions({ ready, chosen, onChoose }: QuestionsProps): ReactElement {
  return (
    <fieldset className="studies__questions">
      <legend>The question</legend>
      {[...ready, null].map((made) => (
        <label key={made?.id ?? 'own'} className="studies__question">
          <input
            type="radio"
            name="studies-question"
            checked={made?.id === chosen?.id}
            onChange={() => onChoose(made)}
          />
          <span>
            <strong>{made?.title ?? 'One of my own'}</strong>
            <span>{made?.asks ?? 'Choose what changes, and its values.'}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
