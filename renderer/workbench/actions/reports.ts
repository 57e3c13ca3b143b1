/** Report on the comparison, as one HTML file or PDF. */
import type { Subject } from '../../../electron/contract/bench/benches.ts';
import type { ComparedRow } from '../../../electron/contract/bench/comparison.ts';
import { type ColorMap, colorMap, unpackColor } from '../../drawing/colormap.ts';
import type { Palette } from '../../drawing/report/map-figure.ts';
import { type ReportInput, type ReportScenario, type ReportSession, reportHtml } from '../../drawing/report/report.ts';
import { benchOf } from '../../state/comparison.ts';
import type { ActionContext } from './context.ts';
import { offerFile, safeFileName } from './save-file.ts';

/**
 * The report is printed from the page with the browser's print dialog, which can also save PDFs. This class hides the
 * rest of the page.
 */
const PRINTING_CLASS = 'is-printing';

/** Constructs a style sheet by script, because the page's content security policy forbids style elements. */
function sheetOf(css: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    `@media screen { .print-report { display: none; } }
     @media print { html.${PRINTING_CLASS} body > :not(.print-report) { display: none !important; } ${css} }`,
  );
  return sheet;
}

function printReport(html: string): void {
  // Remove the style element, because the policy forbids it even in a document that is never shown.
  const [element = '', css = ''] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? [];
  const source = new DOMParser().parseFromString(html.replace(element, ''), 'text/html');
  const report = document.createElement('div');
  report.className = 'print-report';
  report.append(...[...source.body.childNodes].map((node) => document.importNode(node, true)));
  const sheet = sheetOf(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  document.documentElement.classList.add(PRINTING_CLASS);
  document.body.append(report);
  const title = document.title;
  document.title = source.title;
  window.addEventListener(
    'afterprint',
    () => {
      document.title = title;
      document.documentElement.classList.remove(PRINTING_CLASS);
      report.remove();
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    },
    { once: true },
  );
  window.print();
}

interface ReportOrder {
  readonly title: string;
  readonly subjects: readonly Subject[];
  /** Index into the subjects. */
  readonly reference: number;
}

export interface ReportActions {
  save(order: ReportOrder, kind: 'html' | 'pdf'): Promise<void>;
}

/** Maximum samples across a map, because more are not visible at the width of a page. */
const PIXELS = 640;

function paletteOf({ colors }: ColorMap): Palette {
  return Uint8Array.from([...colors].flatMap((color) => unpackColor(color)));
}

export function createReportActions(context: ActionContext): ReportActions {
  const { client, stores } = context;
  async function sessionsOf(subjects: readonly Subject[]): Promise<readonly ReportSession[]> {
    const ids = [...new Set(subjects.flatMap((subject) => (subject.kind === 'run' ? [] : [subject.bench])))];
    return Promise.all(
      ids.map(async (bench) => {
        const { session } = await client.call('bench.session', { bench });
        return { name: benchOf(stores.comparison.getState(), bench)?.name ?? bench, session };
      }),
    );
  }

  async function scenariosOf(rows: readonly ComparedRow[]): Promise<readonly ReportScenario[]> {
    const runs = rows.flatMap(({ subject, title }) => (subject.kind === 'run' ? [{ run: subject.run, title }] : []));
    return Promise.all(
      runs.map(async ({ run, title }) => {
        const { scenario } = await client.call('run.scenario', { run });
        const { text } = await client.call('scenario.text', { scenario: { ...scenario } });
        return { name: title, text };
      }),
    );
  }

  async function collectReport({ title, subjects, reference }: ReportOrder): Promise<ReportInput> {
    const requested = { subjects: [...subjects], reference };
    const { rows, words, groups } = await client.call('compare.rows', requested);
    // If the reference has no map, compare the maps with the first row that has one.
    const shown = rows[reference]?.has_map ? reference : rows.findIndex(({ has_map }) => has_map);
    const withAnswer = { ...requested, reference: Math.max(0, shown) };
    const { curves } = await client.call('compare.curves', withAnswer);
    const viewport = { horizontal: null, vertical: null, pixels: [PIXELS, PIXELS] as [number, number] };
    const { maps } = await client.call('compare.maps', { ...withAnswer, viewport });
    const sessions = await sessionsOf(subjects);
    const scenarios = await scenariosOf(rows);
    return {
      title,
      created: new Date().toISOString(),
      version: client.capabilities.version,
      rows,
      groups,
      words,
      curves,
      maps,
      sessions,
      scenarios,
      commands: [
        ...sessions.map(({ session }) => session.command),
        ...scenarios.map(({ name }) => `run '${name.replace(/: [^:]*$/, '')}.json'`),
      ],
      palettes: { field: paletteOf(colorMap('viridis')), difference: paletteOf(colorMap('berlin')) },
    };
  }

  const write = (name: string, mime: string, bytes: Uint8Array): Promise<void> =>
    offerFile(context, { name, mime, bytes });

  return {
    async save(order, kind) {
      try {
        const html = reportHtml(await collectReport(order));
        const name = safeFileName(order.title);
        if (kind === 'html') await write(`${name}.html`, 'text/html', new TextEncoder().encode(html));
        else if (client.capabilities.shell.kind === 'desktop') {
          const { bytes } = await client.call('shell.pdf', { html });
          await write(`${name}.pdf`, 'application/pdf', bytes);
        } else printReport(html);
      } catch (error) {
        stores.notices.fail('The report could not be made', error);
      }
    },
  };
}
