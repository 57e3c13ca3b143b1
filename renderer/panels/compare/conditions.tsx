/** Under what the rows were measured, each measurement once. */
import type { ReactElement } from 'react';
import type { ShownRow } from './rows.ts';

/** What is told only where it was asked for: the answer is not to be looked for. */
const asked: ReadonlySet<string> = new Set(['GPU clock', 'Cooling', 'Energy']);

export function Conditions({ rows }: { readonly rows: readonly ShownRow[] }): ReactElement | null {
  const told = rows.filter(({ row }) => row.conditions.length > 0);
  const each = [...new Map(told.map(({ row }) => [JSON.stringify([row.origin, row.conditions]), row])).entries()];
  if (each.length === 0) return null;
  return (
    <div className="compare-notes">
      {each.map(([key, { origin, conditions }]) => (
        <details key={key} open={conditions.some(([name]) => asked.has(name))}>
          <summary>{origin}: how it was measured</summary>
          <ul className="compare-conditions" aria-label={`How ${origin} was measured`}>
            {conditions.map(([name, value]) => (
              <li key={name + value}>
                {name}: {value}
              </li>
            ))}
          </ul>
        </details>
      ))}
    </div>
  );
}
