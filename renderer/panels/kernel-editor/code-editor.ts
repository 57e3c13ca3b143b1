/** Text editor for C++ and CUDA, with the colours of the source view. No React. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, indentUnit } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { EditorState, type Extension, RangeSetBuilder, StateField, type Text } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  highlightActiveLine,
  type KeyBinding,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import type { Issue } from '../../../electron/contract/errors.ts';
import { tokenizeLines } from '../../base/code-tokens.ts';

interface CodeEditorOptions {
  readonly parent: HTMLElement;
  readonly onChange: (text: string) => void;
  /** Called with the current text. The state in React may lag behind the last key. */
  readonly onSave: (text: string) => void;
  readonly onBuild: (text: string) => void;
  readonly onRun: (text: string) => void;
}

const marks = new Map<string, Decoration>();

function markOf(kind: string): Decoration {
  const known = marks.get(kind);
  if (known !== undefined) return known;
  const made = Decoration.mark({ class: `code-${kind}` });
  marks.set(kind, made);
  return made;
}

/** Tokenizes the entire text: kernels have hundreds of lines, and a comment may span many. */
function highlightText(doc: Text): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  let at = 0;
  for (const tokens of tokenizeLines(doc.toString().split('\n'))) {
    for (const { kind, text } of tokens) {
      if (kind !== 'plain') builder.add(at, at + text.length, markOf(kind));
      at += text.length;
    }
    at += 1;
  }
  return builder.finish();
}

const colours = StateField.define<DecorationSet>({
  create: (state) => highlightText(state.doc),
  update: (value, change) => (change.docChanged ? highlightText(change.state.doc) : value),
  provide: (field) => EditorView.decorations.from(field),
});

/**
 * Sizes and colours from the page. Code styles repeat widgets/words/words.css, which does not apply in the shadow root.
 */
const theme = EditorView.theme({
  '.code-comment': { color: 'var(--text-faint)', fontStyle: 'italic' },
  '.code-string': { color: 'var(--series-3)' },
  '.code-number': { color: 'var(--series-6)' },
  '.code-keyword': { color: 'var(--series-4)' },
  '.code-type': { color: 'var(--series-1)' },
  '.code-cuda': { color: 'var(--series-2)', fontWeight: '600' },
  '.code-directive': { color: 'var(--series-7)' },
  '.code-call': { color: 'var(--series-5)' },
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: 'var(--size-m)' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--surface)',
    color: 'var(--text-faint)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine': { backgroundColor: 'var(--surface-sunken)' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--surface-raised)',
    color: 'var(--text)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
  },
});

function diagnosticOf({ line, column, severity, message }: Issue, doc: Text): Diagnostic[] {
  if (line === null || line > doc.lines) return [];
  const found = doc.line(line);
  const from = Math.min(found.from + Math.max(0, (column ?? 1) - 1), found.to);
  // Mark the word at the position, or the rest of the line.
  const word = /^\w+/.exec(doc.sliceString(from, found.to))?.[0].length ?? 0;
  const to = column === null ? found.to : Math.max(from + word, Math.min(from + 1, found.to));
  return [{ from, to, severity, message }];
}

export class CodeEditor {
  readonly #view: EditorView;
  readonly #extensions: Extension;

  constructor({ parent, onChange, onSave, onBuild, onRun }: CodeEditorOptions) {
    const press = (work: (text: string) => void) => (view: EditorView) => {
      work(view.state.doc.toString());
      return true;
    };
    const bindings: readonly KeyBinding[] = [
      { key: 'Mod-s', run: press(onSave), preventDefault: true },
      { key: 'Mod-b', run: press(onBuild), preventDefault: true },
      { key: 'Mod-Enter', run: press(onRun), preventDefault: true },
      ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
      ...historyKeymap,
      ...lintKeymap,
    ];
    this.#extensions = [
      // Keys handled here do not reach the page, whose Ctrl+S saves the scenario.
      keymap.of(bindings.map((one) => ({ ...one, stopPropagation: true }))),
      history(),
      lineNumbers(),
      lintGutter(),
      highlightActiveLine(),
      bracketMatching(),
      indentUnit.of('  '),
      colours,
      theme,
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onChange(update.state.doc.toString());
      }),
    ];
    // The editor creates style sheets by script, which the page's content security policy allows only in a shadow root.
    const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' });
    this.#view = new EditorView({ parent: root, root, state: this.#state('', 'Code', true) });
  }

  /** Shows another text with the cursor at its start and a new undo history. */
  show(text: string, label: string, readOnly: boolean): void {
    this.#view.setState(this.#state(text, label, readOnly));
  }

  #state(doc: string, label: string, readOnly: boolean): EditorState {
    return EditorState.create({
      doc,
      extensions: [
        this.#extensions,
        EditorState.readOnly.of(readOnly),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      ],
    });
  }

  mark(issues: readonly Issue[]): void {
    const { state } = this.#view;
    const found = issues.flatMap((issue) => diagnosticOf(issue, state.doc)).sort((a, b) => a.from - b.from);
    this.#view.dispatch(setDiagnostics(state, found));
  }

  /** Moves the cursor to an issue and focuses the text. */
  reveal({ line, column }: Issue): void {
    const { doc } = this.#view.state;
    if (line === null || line > doc.lines) return;
    const { from, to } = doc.line(line);
    const anchor = Math.min(from + Math.max(0, (column ?? 1) - 1), to);
    this.#view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    this.#view.focus();
  }

  close(): void {
    this.#view.destroy();
  }
}
