/** Gallery of questions. Opening one loads its example and shows hints in the panels. */
import type { ReactElement } from 'react';
import { exampleNotes, type Question, questions } from '../../base/questions.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import './questions-panel.css';

/** URLs of the questions' pictures. */
const files = import.meta.glob('../../../assets/questions/*.webp', {
  query: '?url',
  import: 'default',
  eager: true,
}) as Readonly<Record<string, string>>;

const byName = new Map(Object.entries(files).map(([file, url]) => [file.replace(/^.*\//, ''), url]));

/** URL of a question's picture; undefined if the picture does not exist. */
const pictureOf = (question: string, theme: 'light' | 'dark'): string | undefined =>
  byName.get(`${question}-${theme}.webp`);

function Picture({ id }: { readonly id: string }): ReactElement {
  return (
    <span className="question__picture clip rounded">
      {(['light', 'dark'] as const).map((theme) => (
        // Decorative: the card's text has the same content.
        <img key={theme} data-theme={theme} src={pictureOf(id, theme)} alt="" width={480} height={300} loading="lazy" />
      ))}
    </span>
  );
}

function QuestionCard({ question, open }: { readonly question: Question; readonly open: boolean }): ReactElement {
  const { questions: actions } = useWorkbench();
  const { id, title, text, example } = question;
  return (
    <li>
      <button
        type="button"
        className="question center grid wide"
        aria-current={open ? 'true' : undefined}
        onClick={() => void actions.open(id)}
      >
        <Picture id={id} />
        <span className="question__words grid">
          <b className="question__title">{title}</b>
          <span className="question__text muted small">{text}</span>
          <span className="question__how faint small">{exampleNotes[example.kind]}</span>
        </span>
      </button>
    </li>
  );
}

export default function QuestionsPanel(): ReactElement {
  const { stores, questions: actions } = useWorkbench();
  const atStart = useSelected(stores.questions, (state) => state.atStart);
  const opened = useSelected(stores.questions.guide, (guide) => guide.question);
  return (
    <div className="stack grow">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard */}
      <section className="questions-panel__body grow scroll" tabIndex={0} aria-label="Questions to begin with">
        <h2 className="questions-panel__title">What would you like to know?</h2>
        <ul className="questions-panel__list grid">
          {questions.map((question) => (
            <QuestionCard key={question.id} question={question} open={question.id === opened} />
          ))}
        </ul>
      </section>
      <footer className="questions-panel__foot between flex center gap-l rigid muted line-above">
        <label className="flex center gap-m">
          <input
            type="checkbox"
            checked={atStart}
            onChange={(event) => stores.questions.setState({ atStart: event.target.checked })}
          />
          Show at the start
        </label>
        <Button tone="quiet" title="Help › Questions to begin with shows them again" onPress={() => actions.dismiss()}>
          Hide questions
        </Button>
      </footer>
    </div>
  );
}
