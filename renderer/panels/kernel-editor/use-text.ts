/** The text in the editor: what was read or typed, and the element that it stands in. */
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Issue } from '../../../electron/contract/errors.ts';
import { CodeEditor } from './code-editor.ts';
import type { UsedEditing } from './use-editing.ts';

interface ShownText {
  /** Null until it is read; another object each time that it is. */
  readonly source: { readonly text: string } | null;
  readonly label: string;
  readonly mayType: boolean;
}

interface UsedText {
  readonly text: string;
  readonly clear: () => void;
  readonly reveal: (issue: Issue) => void;
  readonly place: RefObject<HTMLDivElement | null>;
}

export function useText({ source, label, mayType }: ShownText, editing: UsedEditing): UsedText {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor | null>(null);
  const [text, setText] = useState('');
  const latest = useRef(editing);
  latest.current = editing;

  useEffect(() => {
    if (place.current === null) return;
    const made = new CodeEditor({
      parent: place.current,
      onChange: setText,
      onSave: (typed) => void latest.current.actions.save(typed),
      // As the buttons: not while the one before is under way.
      onBuild: (typed) => void (latest.current.busy === null && latest.current.actions.build(typed)),
      onRun: (typed) => void (latest.current.busy === null && latest.current.actions.run(typed)),
    });
    editor.current = made;
    return () => {
      editor.current = null;
      made.close();
    };
  }, []);
  useEffect(() => {
    // Only what was read: what was saved stands in the editor already, and more may have been typed since.
    if (source === null) return;
    setText(source.text);
    editor.current?.show(source.text, label, !mayType);
  }, [source, label, mayType]);
  useEffect(() => editor.current?.mark(editing.issues), [editing.issues]);

  return { text, clear: () => setText(''), reveal: (issue) => editor.current?.reveal(issue), place };
}
