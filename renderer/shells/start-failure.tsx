/** What the page says when it could not reach its host at all. */

import type { ReactElement } from 'react';
import { messageOf } from '../../electron/contract/errors.ts';
import { Button } from '../widgets/controls/button.tsx';
import { EmptyState } from '../widgets/words/empty-state.tsx';
import '../styles/fonts.css';
import '../styles/tokens.css';
import '../styles/base.css';

export function StartFailure({ error }: { readonly error: unknown }): ReactElement {
  return (
    <div className="start-failure">
      <EmptyState
        icon="error"
        tone="error"
        title="The workbench could not be opened"
        action={
          <Button icon="reset" tone="primary" onPress={() => location.reload()}>
            Try again
          </Button>
        }
      >
        {messageOf(error)} If it was started from a terminal, open the address that it printed last: each start has its
        own.
      </EmptyState>
    </div>
  );
}
