/** A hint of the open question, at the top of the panel that it refers to. */
import { type ReactElement, useEffect, useId, useRef } from 'react';
import { questionOf } from '../base/questions.ts';
import { hintAfter, hintIn } from '../state/questions.ts';
import { Button, IconButton } from '../widgets/controls/button.tsx';
import { useSelected, useWorkbench } from '../workbench/context.ts';

/** Number of the panel's hint, starting at one, for its tab; null if it has none. */
export function useHintNumber(panel: string): number | null {
  const { stores } = useWorkbench();
  return useSelected(stores.questions.guide, (guide) => {
    const hint = hintIn(guide, panel);
    return hint === null ? null : hint + 1;
  });
}

export function PanelHint({ panel }: { readonly panel: string }): ReactElement | null {
  const { stores } = useWorkbench();
  const guide = useSelected(stores.questions.guide, (state) => state);
  const place = useRef<HTMLElement>(null);
  const words = useId();
  const hint = hintIn(guide, panel);
  const { at } = guide;
  const gone = at.hint === hint ? at.turn : 0;
  // Focus a hint that the user goes to, because the button that led here may have disappeared with its panel.
  useEffect(() => {
    if (gone > 0) place.current?.focus();
  }, [gone]);
  const question = questionOf(guide.question);
  const text = hint === null ? undefined : question?.hints[hint]?.text;
  if (hint === null || question === null || text === undefined) return null;
  const next = hintAfter(guide, hint);
  return (
    <section
      ref={place}
      className="panel-hint flex center gap-l rigid line-below"
      tabIndex={-1}
      aria-describedby={words}
      aria-label={`Hint ${hint + 1} of ${question.hints.length}: ${question.title}`}
    >
      <b className="panel-hint__number rigid small" aria-hidden="true">
        {hint + 1}
      </b>
      <p className="grow" id={words}>
        {text}
      </p>
      {next === null ? null : (
        <Button
          tone="quiet"
          onPress={() => {
            const panelOfNext = question.hints[next]?.panel;
            if (panelOfNext !== undefined) stores.layout.reveal(panelOfNext);
            stores.questions.go(next);
          }}
        >
          Next
        </Button>
      )}
      <IconButton
        icon="close"
        size={11}
        label={`Dismiss hint ${hint + 1}`}
        onPress={() => stores.questions.dismiss(hint)}
      />
    </section>
  );
}
