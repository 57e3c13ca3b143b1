/** `braggbench report`: writes runs and sessions to one HTML or PDF file. */
import path from 'node:path';
import { flagValue, UsageError } from '../arguments.ts';
import { checkOutput, forceFlag, writeOutput } from '../output-file.ts';
import { withHost } from '../subjects.ts';
import { exitCodes, type Verb } from '../verb.ts';

function reportTitle(files: readonly string[]): string {
  const names = files.map((file) => path.basename(file).replace(/(\.session)?\.(json|h5)$/i, ''));
  return names.length > 4 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
}

export const report: Verb = {
  name: 'report',
  usage: 'report RUN.h5|SESSION.json… -o report.html|report.pdf',
  summary: 'write a comparison as one HTML file or PDF',
  details: [
    'Writes the runs and benchmark sessions into one self-contained HTML file: the comparison with the first as the reference, figures, claims, environment, scenarios, and the commands that reproduce it. It needs no GPU and no network, and prints as it is shown.',
    'A name that ends in .pdf is printed by Chrome, Chromium or Edge: the one named by --browser or the variable CHROME, otherwise an installed one.',
  ],
  flags: [
    { name: 'out', short: 'o', value: 'FILE', help: 'Output file: .html or .pdf.' },
    forceFlag,
    { name: 'title', value: 'TEXT', help: 'Title of the report; the file names by default.' },
    { name: 'browser', value: 'PATH', help: 'Browser used to print a PDF.' },
  ],
  examples: [
    'braggbench report reference.h5 mine.h5 -o comparison.html',
    'braggbench report assets/runs/h200-uniform-grid-70MeV.json -o ladder.pdf',
  ],
  operands: { min: 1, max: 1000, name: 'one or more run files or sessions' },
  run: async ({ parsed, terminal }) => {
    const out = flagValue(parsed, 'out');
    if (out === undefined) throw new UsageError('report needs -o report.html or -o report.pdf');
    const kind = path.extname(out).toLowerCase();
    if (kind !== '.html' && kind !== '.htm' && kind !== '.pdf') {
      throw new UsageError(`-o ${out}: the extension must be .html or .pdf`);
    }
    await checkOutput(parsed, out);
    // Load the code that draws reports on demand, because it would slow down the start of other verbs.
    const [{ reportHtml }, { reportInput }, { findBrowser, printPdf }] = await Promise.all([
      import('../../../renderer/drawing/report/report.ts'),
      import('../reports/report-input.ts'),
      import('../reports/print-pdf.ts'),
    ]);
    // Find the browser first, so that a missing one is reported before the work.
    const browser = kind === '.pdf' ? await findBrowser(flagValue(parsed, 'browser')) : null;
    const title = flagValue(parsed, 'title') ?? reportTitle(parsed.operands);
    const html = reportHtml(await withHost((host) => reportInput(host, parsed.operands, title)));
    await writeOutput(parsed, out, browser === null ? html : await printPdf(browser, html, out));
    terminal.printNote(`Written to ${out}`);
    return exitCodes.done;
  },
};
