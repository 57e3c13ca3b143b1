/** HTML elements of the report. All text goes through `escapeXml`. */
import { escapeXml } from '../figures/figure.ts';

export type Html = string;

export interface Cell {
  readonly text: string;
  readonly right?: boolean;
  /** Class of the cell, such as `wrong`. */
  readonly tone?: string;
}

const cellOf = (cell: Cell | string): Cell => (typeof cell === 'string' ? { text: cell } : cell);

/** A table; the first cell of a row is its header. */
export function table(head: readonly (Cell | string)[], rows: readonly (readonly (Cell | string)[])[]): Html {
  const cell = (given: Cell | string, tag: 'th' | 'td', scope: string): Html => {
    const { text, right = false, tone } = cellOf(given);
    const attributes = [
      ...(right ? ['class="right"'] : []),
      ...(tone === undefined ? [] : [`data-tone="${escapeXml(tone)}"`]),
      ...(tag === 'th' ? [`scope="${scope}"`] : []),
    ];
    return `<${tag}${attributes.map((one) => ` ${one}`).join('')}>${escapeXml(text)}</${tag}>`;
  };
  const body = rows.map((row) => `<tr>${row.map((one, i) => cell(one, i === 0 ? 'th' : 'td', 'row')).join('')}</tr>`);
  const heads = head.map((one) => cell(one, 'th', 'col')).join('');
  return `<table><thead><tr>${heads}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table>`;
}

/** Wraps content that may be wider than the screen in a container that scrolls, also by keyboard. */
export function scrollContainer(name: string, content: Html): Html {
  return `<section class="scroll" tabindex="0" aria-label="${escapeXml(name)}">${content}</section>`;
}

export function definitionList(entries: readonly (readonly [name: string, value: string])[]): Html {
  const rows = entries.map(([name, value]) => `<dt>${escapeXml(name)}</dt><dd>${escapeXml(value)}</dd>`);
  return `<dl>${rows.join('')}</dl>`;
}

export function paragraph(text: string, kind?: string): Html {
  return `<p${kind === undefined ? '' : ` class="${kind}"`}>${escapeXml(text)}</p>`;
}

export function heading(level: 2 | 3, text: string): Html {
  return `<h${level}>${escapeXml(text)}</h${level}>`;
}

export function code(text: string): Html {
  return `<pre>${escapeXml(text)}</pre>`;
}

export function figure(svg: string, caption: string): Html {
  return `<figure>${svg}<figcaption>${escapeXml(caption)}</figcaption></figure>`;
}

/** Styles for a light screen and for print. */
export const style = `
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.5rem 4rem; max-width: 70rem; background: #ffffff; color: #171c24;
  font: 14px/1.5 Inter, system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif; font-variant-numeric: tabular-nums; }
h1 { margin: 0 0 .25rem; font-size: 1.75rem; line-height: 1.2; }
h2 { margin: 2.5rem 0 .5rem; padding-bottom: .25rem; border-bottom: 2px solid #171c24; font-size: 1.25rem; }
h3 { margin: 1.75rem 0 .25rem; font-size: 1rem; }
p { margin: .25rem 0 .75rem; max-width: 50rem; }
p.faint, figcaption { color: #4b5565; font-size: .8125rem; }
p.wrong { padding: .5rem .75rem; background: #fce4e2; color: #b0241c; }
figure { margin: .75rem 0 1.25rem; break-inside: avoid; }
figure svg { display: block; max-width: 100%; height: auto; }
figcaption { margin-top: .25rem; }
.maps { display: grid; grid-template-columns: 1fr 1fr; gap: 0 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .8125rem; margin: .5rem 0 1rem; }
.scroll table { font-size: .75rem; }
th, td { padding: .25rem .5rem .25rem 0; border-bottom: 1px solid #d6dbe3; text-align: left; vertical-align: top; }
thead th { color: #4b5565; font-weight: 500; }
tbody th { font-weight: 600; }
.right { text-align: right; white-space: nowrap; }
[data-tone='wrong'] { background: #fce4e2; color: #b0241c; font-weight: 600; }
[data-tone='faster'], [data-tone='as claimed'], [data-tone='more'] { color: #17693c; }
[data-tone='slower'], [data-tone='less'] { color: #7d4f00; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .125rem 1rem; margin: .5rem 0 1rem; }
dt { color: #4b5565; }
dd { margin: 0; overflow-wrap: anywhere; }
pre { margin: .5rem 0 1rem; padding: .75rem; background: #f1f3f6; font: 12px/1.5 ui-monospace, Consolas, monospace;
  white-space: pre-wrap; overflow-wrap: anywhere; }
@page { size: A4; margin: 14mm; }
@media print { body { padding: 0; max-width: none; font-size: 11px; } h2 { break-after: avoid; } h3 { break-after: avoid; }
  tr { break-inside: avoid; } .scroll { overflow: visible; } table { font-size: 9px; } th, td { padding-right: .4rem; } }
`.trim();
