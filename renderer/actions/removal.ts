/** Confirmation before a result without a file is removed from a list. Short runs are removed without it. */
import type { BenchInfo } from '../../electron/contract/bench/benches.ts';
import { KEPT_FROM_MS } from '../../electron/contract/recovery.ts';
import type { RunInfo } from '../../electron/contract/run.ts';
import { duration } from '../base/time.ts';
import { hasResult } from '../state/runs.ts';
import type { ActionContext } from './context.ts';

type Dialogs = ActionContext['stores']['dialogs'];

/** Asks about a result that is in no file; null if the user cancels. */
async function ask(dialogs: Dialogs, title: string, text: string): Promise<'remove' | 'save' | null> {
  const answer = await dialogs.ask('confirm', {
    title,
    text,
    choices: [
      { id: 'remove', label: 'Remove', tone: 'danger' },
      { id: 'cancel', label: 'Cancel' },
      { id: 'save', label: 'Save…', tone: 'primary' },
    ],
  });
  return answer === 'remove' || answer === 'save' ? answer : null;
}

export async function askRemoveRun(dialogs: Dialogs, run: RunInfo): Promise<'remove' | 'save' | null> {
  const { name, file, wall_s } = run;
  if (file !== null || !hasResult(run) || (wall_s ?? 0) * 1000 < KEPT_FROM_MS) return 'remove';
  return ask(dialogs, `Remove ${name} unsaved?`, `It took ${duration(wall_s)}. Its result is lost, in every window.`);
}

export async function askRemoveBench(dialogs: Dialogs, bench: BenchInfo): Promise<'remove' | 'save' | null> {
  const { name, file, subjects } = bench;
  if (file !== null || subjects.length === 0) return 'remove';
  return ask(dialogs, `Remove ${name} unsaved?`, 'Its times and samples are lost, in every window.');
}
