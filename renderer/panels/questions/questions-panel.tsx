/** The gallery of questions: each opens ready to be looked at, with hints at their places. */
import type { ReactElement } from 'react';
import { exampleWords, type Question, questions } from '../../base/questions.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { pictureOf } from './pictures.ts';
import './questions-panel.css';

function Picture({ id }: { readonly id: string }): ReactElement {
  return (
    <span className="question__picture">
      {(['light', 'dark'] as const).map((theme) => (
        // Decorative: the card's text has the same content.
        <img key={theme} data-theme={theme} src={pictureOf(id, theme)} alt="" width={480} height={300} loading="lazy" />
      ))}
    </span>
  );
}

function Card({ question, open }: { readonly question: Question; readonly open: boolean }): ReactElement {
  const { questions: actions } = useWorkbench();
  const { id, title, text, example } = question;
  return (
    <li>
      <button
        type="button"
        className="question"
        aria-current={open ? 'true' : undefined}
        onClick={() => void actions.open(id)}
      >
        <Picture id={id} />
        <span className="question__words">
          <span className="question__title">{title}</span>
          <span className="question__text">{text}</span>
          <span className="question__how">{exampleWords[example.kind]}</span>
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
    <div className="questions-panel">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard */}
      <section className="questions-panel__body" tabIndex={0} aria-label="Questions to begin with">
        <h2 className="questions-panel__title">What would you like to know?</h2>
        <ul className="questions-panel__list">
          {questions.map((question) => (
            <Card key={question.id} question={question} open={question.id === opened} />
          ))}
        </ul>
      </section>
      <footer className="questions-panel__foot">
        <label>
          <input
            type="checkbox"
            checked={atStart}
            onChange={(event) => stores.questions.setState({ atStart: event.target.checked })}
          />
          Show at the start
        </label>
        <Button tone="quiet" title="Help › Questions to begin with shows them again" onPress={() => actions.dismiss()}>
          Put away
        </Button>
      </footer>
    </div>
  );
}
