/** A report of what is compared, as one HTML file or as PDF. */
import type { Subject } from '../../electron/contract/bench/benches.ts';
import type { ComparedRow } from '../../electron/contract/bench/comparison.ts';
import { type ColorMap, colorMap, unpackColor } from '../drawing/colormap.ts';
import type { Palette } from '../report/map-figure.ts';
import { type ReportInput, type ReportScenario, type ReportSession, reportHtml } from '../report/report.ts';
import { benchOf } from '../state/comparison.ts';
import type { ActionContext } from './context.ts';
import { handOut } from './hand-out.ts';
import { safeFileName } from './save-file.ts';

/** Prints a document from within the page, in the browser's own dialog, which saves PDFs too. */
const PRINTING = 'is-printing';

/** The page's policy lets no document bring styles of its own: they are handed to it as a sheet. */
function sheetOf(css: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    `@media screen { .print-report { display: none; } }
     @media print { html.${PRINTING} body > :not(.print-report) { display: none !important; } ${css} }`,
  );
  return sheet;
}

function printReport(html: string): void {
  // The policy would complain of the style element even in a document that is never shown.
  const [element = '', css = ''] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? [];
  const source = new DOMParser().parseFromString(html.replace(element, ''), 'text/html');
  const report = document.createElement('div');
  report.className = 'print-report';
  report.append(...[...source.body.childNodes].map((node) => document.importNode(node, true)));
  const sheet = sheetOf(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  document.documentElement.classList.add(PRINTING);
  document.body.append(report);
  const title = document.title;
  document.title = source.title;
  window.addEventListener(
    'afterprint',
    () => {
      document.title = title;
      document.documentElement.classList.remove(PRINTING);
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

/** More samples than this across a map of a page's width are not seen. */
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

  async function gather({ title, subjects, reference }: ReportOrder): Promise<ReportInput> {
    const asked = { subjects: [...subjects], reference };
    const { rows, words, groups } = await client.call('compare.rows', asked);
    // Compare answers with the first available one if the reference has none.
    const shown = rows[reference]?.has_map ? reference : rows.findIndex(({ has_map }) => has_map);
    const withAnswer = { ...asked, reference: Math.max(0, shown) };
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
    handOut(context, { name, mime, bytes });

  return {
    async save(order, kind) {
      try {
        const html = reportHtml(await gather(order));
        const name = safeFileName(order.title);
        if (kind === 'html') await write(`${name}.html`, 'text/html', new TextEncoder().encode(html));
        else if (client.capabilities.shell.kind === 'desktop') {
          const { bytes } = await client.call('shell.pdf', { html });
          await write(`${name}.pdf`, 'application/pdf', bytes);
        } else printReport(html);
      } catch (error) {
        stores.notices.fail('The report was not made', error);
      }
    },
  };
}
