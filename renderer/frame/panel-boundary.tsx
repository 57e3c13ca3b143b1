/** Keeps a panel that fails from taking the page with it. */

import { Component, type ReactNode } from 'react';
import { messageOf } from '../../electron/contract/errors.ts';
import { Button } from '../widgets/controls/button.tsx';
import { EmptyState } from '../widgets/words/empty-state.tsx';

interface Props {
  readonly title: string;
  readonly children: ReactNode;
}

export class PanelBoundary extends Component<Props, { readonly error: unknown }> {
  override state = { error: null as unknown };

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <EmptyState
        icon="error"
        tone="error"
        title={`${this.props.title} stopped working`}
        action={<Button onPress={() => this.setState({ error: null })}>Show it again</Button>}
      >
        {messageOf(error)}
      </EmptyState>
    );
  }
}
