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

export function printReport(html: string): void {
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
