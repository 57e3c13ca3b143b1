/** Files that are on their way, and how far they are. */
import type { ReactElement } from 'react';
import { compact, percent } from '../../base/numbers.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';

const share = (part: number, whole: number): number | null => (whole > 0 ? Math.min(1, part / whole) : null);

export function Reading(): ReactElement | null {
  const { stores } = useWorkbench();
  const reading = useSelected(stores.timelines, (state) => state.reading);
  const sending = useSelected(stores.timelines, (state) => state.sending);
  if (reading.length + sending.length === 0) return null;
  const rows = [
    ...sending.map((file) => ({
      key: `sending ${file.key}`,
      text: `Taking in ${file.name}`,
      done: share(file.sent_bytes, file.total_bytes),
      spans: null,
    })),
    ...reading.map((file) => ({
      key: file.id,
      text: `Reading ${file.name}`,
      done: file.read_bytes > 0 ? share(file.read_bytes, file.total_bytes) : null,
      spans: file.spans,
    })),
  ];
  return (
    <ul className="timeline-reading" aria-live="polite">
      {rows.map(({ key, text, done, spans }) => (
        <li key={key}>
          <span>{text}</span>
          <progress aria-label={text} {...(done === null ? {} : { value: done })} />
          <span>
            {done === null ? '' : percent(done)}
            {spans === null || spans === 0 ? '' : ` ${compact(spans)} spans`}
          </span>
        </li>
      ))}
    </ul>
  );
}
