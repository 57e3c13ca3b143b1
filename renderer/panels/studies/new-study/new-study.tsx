/** A new study of the scenario in the form: a question that is often asked, or axes of one's own. */
import { type ReactElement, useMemo, useState } from 'react';
import type { StudyId } from '../../../../electron/contract/study/calls.ts';
import { documentTitle } from '../../../state/scenario.ts';
import { Button } from '../../../widgets/controls/button.tsx';
import { useSelected, useWorkbench } from '../../../workbench/context.ts';
import { Where } from '../where.tsx';
import { type AxisDraft, countOf, faultOf } from './axis-draft.ts';
import { AxisRows } from './axis-rows.tsx';
import { KeptOfPoints } from './kept-of-points.tsx';
import { PlanWords } from './plan-words.tsx';
import { Questions } from './questions.tsx';
import { type ReadyMade, readyMade } from './ready-made.ts';
import { blank, type Form, studyOf } from './study-form.ts';
import { useOffers } from './use-offers.ts';
import { useStart } from './use-start.ts';

interface NewStudyProps {
  readonly onStarted: (study: StudyId) => void;
  /** Null: there is none to go back to. */
  readonly onBack: (() => void) | null;
}

export function NewStudy({ onStarted, onBack }: NewStudyProps): ReactElement {
  const { stores } = useWorkbench();
  const draft = useSelected(stores.scenario, (state) => state.draft);
  const title = useSelected(stores.scenario, documentTitle);
  const file = useSelected(stores.scenario, (state) => state.file);
  const complete = useSelected(stores.scenario, (state) => state.lastResolved?.scenario ?? null);
  const capabilities = useSelected(stores.connection, (state) => state.capabilities);
  const offers = useOffers(draft);
  const ready = useMemo(
    () => readyMade({ draft, complete, capabilities, offers }),
    [draft, complete, capabilities, offers],
  );
  const [made, setMade] = useState<ReadyMade | null>(null);
  const [axes, setAxes] = useState<readonly AxisDraft[]>([]);
  const [form, setForm] = useState<Form>(blank);
  const [on, setOn] = useState<string | null>(null);
  const { base, document } = studyOf({ draft, complete, title, made, axes, form });
  const { planned, endless, busy, failure, look, start } = useStart(
    { document, file: file?.file ?? null },
    on,
    onStarted,
  );
  const faulty = document.axes.length === 0 || axes.some((axis) => faultOf(axis) !== null);
  const isSearch = document.search !== undefined;
  const choose = (next: ReadyMade | null): void => {
    setMade(next);
    const { measures, timing, repeats } = { ...blank, ...next };
    setForm({ measures, timing, repeats });
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard
    <section className="studies__new" tabIndex={0} aria-label="New study">
      <h2>Study {title}</h2>
      <p className="studies__lead">
        A study solves the scenario in the form at many points and makes one table of them. Nothing is solved twice.
      </p>
      <Questions ready={ready} chosen={made} onChoose={choose} />
      <h3>{made === null ? 'Axes (all combinations)' : 'Further axes'}</h3>
      <AxisRows axes={axes} document={complete ?? draft} base={base} onChange={setAxes} />
      <KeptOfPoints form={form} onChange={setForm} />
      {isSearch ? null : (
        <>
          <h3>Where it is solved</h3>
          <Where on={on} onChange={setOn} />
        </>
      )}
      <div className="studies__deeds">
        <Button disabled={faulty || busy} onPress={() => void look()}>
          Plan
        </Button>
        <Button
          tone="primary"
          icon="run"
          disabled={faulty || busy || planned?.plan.points === 0}
          onPress={() => void start()}
        >
          {planned === null ? 'Plan and start…' : endless ? 'Start all the same' : 'Start'}
        </Button>
        {onBack === null ? null : <Button onPress={onBack}>Back</Button>}
      </div>
      <PlanWords
        planned={planned}
        combinations={faulty || made !== null ? null : axes.reduce((product, axis) => product * countOf(axis), 1)}
        isSearch={isSearch}
        endless={endless}
      />
      {failure === null ? null : (
        <p role="alert" className="studies__fault">
          {failure}
        </p>
      )}
    </section>
  );
}
