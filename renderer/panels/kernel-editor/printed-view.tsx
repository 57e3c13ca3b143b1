/** What the kernel printed in its last run. */
import type { ReactElement } from 'react';
import { countText } from '../../../electron/contract/units.ts';
import type { Printed } from '../../../electron/contract/user-kernels.ts';

export function PrintedView({ id, printed }: { readonly id: string; readonly printed: Printed }): ReactElement | null {
  const { first, last, left_out } = printed;
  if (first === '') return null;
  const gap = left_out === 0 ? '' : `\n… ${countText(left_out, 'character')} left out …\n`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the keyboard's focus
    <section className="kernel-editor__printed" aria-label={`What ${id} printed`} tabIndex={0}>
      <h2>What {id} printed, in the time that was measured</h2>
      <pre>{`${first}${gap}${last}`}</pre>
    </section>
  );
}
