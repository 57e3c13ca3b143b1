/** Opens a question: its layout, its example and its hints. */
import type { Subject } from '../../../electron/contract/bench/benches.ts';
import type { RunId } from '../../../electron/contract/run.ts';
import { kindOfDocument } from '../../../electron/contract/scenario/index.ts';
import { latestRequest } from '../../base/latest-request.ts';
import { type Question, type QuestionExample, questionOf } from '../../base/questions.ts';
import type { Overlays } from '../../data/overlays.ts';
import { subjectKey } from '../../state/comparison.ts';
import { hasEnded, runOf } from '../../state/runs.ts';
import { withoutAbsentVariant } from '../../state/scenario.ts';
import type { ActionContext } from './context.ts';
import type { DocumentActions } from './document.ts';
import type { RunActions } from './runs.ts';

/** Overlays a bundled Monte Carlo curve unless it is already overlaid. */
async function overlayMonteCarlo(overlays: Overlays, energy_MeV: number): Promise<void> {
  const name = `TOPAS, ${energy_MeV} MeV`;
  if (overlays.list.getState().items.some((item) => item.name === name)) return;
  const { topasBeam } = await import('../../data/topas.ts');
  if (!overlays.addFile(name, topasBeam(energy_MeV))) throw new Error('No more curves can be added.');
}

/** Id of the panel in the layouts. */
export const QUESTIONS_PANEL = 'questions';

export interface QuestionActions {
  /** Opens a question. Nothing changes if the user cancels to keep the document in the scenario form. */
  open(question: string): Promise<void>;
  /** Shows the gallery in any layout. */
  show(): void;
  /** Closes the gallery, also for the next start. */
  dismiss(): void;
}

export interface QuestionParts {
  readonly documents: Pick<DocumentActions, 'openFile' | 'openRun'>;
  readonly runs: Pick<RunActions, 'start' | 'show' | 'stop'>;
  readonly overlays: Overlays;
}

type ExampleOfKind<K extends QuestionExample['kind']> = Extract<QuestionExample, { kind: K }>;

export function createQuestionActions({ client, stores }: ActionContext, parts: QuestionParts): QuestionActions {
  const { documents, runs, overlays } = parts;
  const { layout, questions, notices, comparison } = stores;
  const ask = latestRequest();

  /** Run that the last question started. */
  let started: RunId | null = null;

  /** Stops the run of the last question, because the next question replaces it. */
  function stopLast(): void {
    const run = runOf(stores.runs.getState(), started);
    if (run !== null && !hasEnded(run.state)) void runs.stop(run.id);
    started = null;
  }

  async function start(): Promise<void> {
    const before = stores.selection.getState().run;
    await runs.start();
    const { run } = stores.selection.getState();
    // Null if the run did not start, or if the user chose another one meanwhile.
    started = run === before ? null : run;
  }

  function arrange(question: Question): void {
    stopLast();
    layout.choose(question.layout);
    for (const panel of question.panels) layout.reveal(panel);
    questions.begin(question.id);
  }

  /**
   * Removes a variant that cannot run on this machine, because the form would immediately show an error. The default
   * variant is used instead.
   */
  function removeAbsentVariant(): void {
    const { draft } = stores.scenario.getState();
    const runsHere = withoutAbsentVariant(draft, stores.connection.getState().capabilities.variants);
    // Open the draft instead of editing it, so that nothing needs to be saved when the next question is opened.
    if (runsHere !== draft) stores.scenario.open({ draft: runsHere, file: null, readOnly: false });
  }

  /**
   * Opens a run and loads its stored scenario into the form. The stored scenario may be older than the file of that
   * name.
   */
  async function openRecorded(
    question: Question,
    { run: file }: ExampleOfKind<'recorded'>,
    isLast: () => boolean,
  ): Promise<void> {
    const run = await client.call('run.open', { source: { kind: 'file', file: { kind: 'library', key: file } } });
    if (!isLast() || !(await documents.openRun(run))) {
      await client.call('run.forget', { run: run.id });
      return;
    }
    removeAbsentVariant();
    arrange(question);
    runs.show(run.id);
  }

  async function showSession(
    { session: file, reference }: ExampleOfKind<'session'>,
    isLast: () => boolean,
  ): Promise<void> {
    const bench = `recorded~${file}`;
    const { session } = await client.call('bench.session', { bench });
    const report = session.reports.length - 1;
    const shown = session.reports[report];
    if (!isLast() || shown === undefined) return;
    const subjects = shown.entries
      .filter(({ status }) => status === 'measured')
      .map(({ label }): Subject => ({ kind: 'entry', bench, report, label }));
    const workload = kindOfDocument(stores.scenario.getState().draft);
    comparison.present(workload, subjects, subjectKey({ kind: 'entry', bench, report, label: reference }));
  }

  async function loadExample(example: QuestionExample, isLast: () => boolean): Promise<void> {
    if (example.kind === 'kernel') stores.userKernels.setState({ requestedVariant: example.variant });
    else if (example.kind === 'session') await showSession(example, isLast);
    else if (example.kind === 'run') await start();
    else if (example.kind === 'monte-carlo') {
      await Promise.all([start(), overlayMonteCarlo(overlays, example.energy_MeV)]);
    }
  }

  return {
    async open(id) {
      const question = questionOf(id);
      if (question === null) return;
      const isLast = ask();
      try {
        const { scenario, example } = question;
        if (example.kind === 'recorded') return await openRecorded(question, example, isLast);
        if (!(await documents.openFile({ kind: 'library', key: scenario }, scenario)) || !isLast()) return;
        arrange(question);
        await loadExample(example, isLast);
      } catch (error) {
        notices.fail(`The example of “${question.title}” could not be opened`, error);
      }
    },
    show: () => layout.reveal(QUESTIONS_PANEL),
    dismiss() {
      questions.setState({ atStart: false });
      layout.close(QUESTIONS_PANEL);
      notices.show({ tone: 'info', title: 'The questions are hidden', text: 'Help › Questions shows them again.' });
    },
  };
}
