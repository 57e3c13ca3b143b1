/** Differences of two sources side by side, with syntax colours. */
import type { ReactElement, ReactNode } from 'react';
import type { DiffRow, DiffSide } from '../../../electron/domain/code-diff.ts';
import type { Token } from '../../base/code-tokens.ts';
import './code-diff.css';

/** Number of lines around a difference if unchanged lines are omitted. */
export const CONTEXT_LINES = 4;

/** Tokens of a line, split at the boundaries of changed text. */
export function codeOf(tokens: readonly Token[], changed: DiffSide['changed']): readonly ReactNode[] {
  const out: ReactNode[] = [];
  let at = 0;
  for (const { kind, text } of tokens) {
    const end = at + text.length;
    const cuts = [at, ...changed.flat().filter((cut) => cut > at && cut < end), end];
    for (let i = 0; i + 1 < cuts.length; i += 1) {
      const [from, to] = [cuts[i] ?? at, cuts[i + 1] ?? end];
      const differs = changed.some(([low, high]) => from >= low && to <= high);
      const part = text.slice(from - at, to - at);
      const key = `${from}`;
      out.push(
        differs ? (
          <mark key={key} className={`code-${kind}`}>
            {part}
          </mark>
        ) : (
          <span key={key} className={`code-${kind}`}>
            {part}
          </span>
        ),
      );
    }
    at = end;
  }
  return out;
}

interface CodeProps {
  readonly rows: readonly (DiffRow | null)[];
  readonly left: readonly (readonly Token[])[];
  readonly right: readonly (readonly Token[])[];
}

function Half({ side, tokens }: { readonly side: DiffSide | null; readonly tokens: CodeProps['left'] }): ReactElement {
  return (
    <>
      <td className="code__number">{side?.line}</td>
      <td className="code__line" data-absent={side === null}>
        {side === null ? null : <code>{codeOf(tokens[side.line - 1] ?? [], side.changed)}</code>}
      </td>
    </>
  );
}

/** Two texts side by side; a null row represents omitted lines. */
export function CodeDiff({ rows, left, right }: CodeProps): ReactElement {
  return (
    <table className="code wide small">
      <tbody>
        {rows.map((row, i) =>
          row === null ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: nothing else identifies a gap
            <tr key={`gap ${i}`} className="code__gap">
              <td className="faint sunken" colSpan={4}>
                ⋯
              </td>
            </tr>
          ) : (
            <tr key={`${row.left?.line ?? ''} ${row.right?.line ?? ''}`} data-kind={row.kind}>
              <Half side={row.left} tokens={left} />
              <Half side={row.right} tokens={right} />
            </tr>
          ),
        )}
      </tbody>
    </table>
  );
}
