/** Conclusions from the points of a study, with their evidence. */
import { type ReactElement, useEffect, useState } from 'react';
import type { StudyAdvice, StudyEntry } from '../../../electron/contract/study/calls.ts';
import { errorText } from '../../state/notices.ts';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { useWorkbench } from '../../workbench/context.ts';

const NEAR_ENOUGH = '0.1';
/** Delay in ms before a typed number is used, because a half-typed number has another value. */
const TYPED_MS = 400;

interface AdviceProps {
  readonly entry: StudyEntry;
  /** Whether the study refines a grid: the user then sets the acceptable error. */
  readonly refines: boolean;
}

export function Advice({ entry, refines }: AdviceProps): ReactElement | null {
  const { client } = useWorkbench();
  const [lines, setLines] = useState<readonly StudyAdvice[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  const [near, setNear] = useState(NEAR_ENOUGH);
  const { id } = entry;
  const whole = entry.state === 'whole' || entry.state === 'open';
  const ended = whole ? entry.done + entry.failed : -1;
  const error_mm = Number(near);
  const valid = near.trim() !== '' && error_mm > 0 && Number.isFinite(error_mm);
  useEffect(() => {
    if (ended <= 0 || !valid) return;
    let current = true;
    // No delay before the first input, so that the advice appears before a plot. Otherwise it would shift the plot and
    // redraw it.
    const wait_ms = near === NEAR_ENOUGH ? 0 : TYPED_MS;
    const timer = setTimeout(() => {
      client.call('study.advice', { study: id, error_mm }).then(
        (answer) => {
          if (!current) return;
          setLines(answer.lines);
          setFailure(null);
        },
        (error: unknown) => current && setFailure(errorText(error)),
      );
    }, wait_ms);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [client, id, ended, error_mm, valid, near]);
  if (failure !== null) return <p className="studies__said studies__fault">{failure}</p>;
  if (lines.length === 0) return null;
  return (
    <section className="studies__advice grid scroll rounded" aria-label="Results of this study">
      {refines ? (
        <span className="flex center gap-s">
          <span>Near enough</span>
          <span className="studies__number">
            <TextField label="Acceptable error, mm" value={near} invalid={!valid} onChange={setNear} />
          </span>
          <span>mm</span>
        </span>
      ) : null}
      <ul className="studies__said-lines" data-testid="study-advice">
        {lines.map(({ text, evidence }) => (
          <li key={text + evidence[0]}>
            <details>
              <summary>{text}</summary>
              <ul className="studies__evidence muted">
                {evidence.map((one) => (
                  <li key={one}>{one}</li>
                ))}
              </ul>
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}
