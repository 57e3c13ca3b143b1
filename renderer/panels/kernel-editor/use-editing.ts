/** The variant in the editor: its text, what the compiler says of it, and its run. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { BraggError, type Issue } from '../../../electron/contract/errors.ts';
import type { OwnVariantInfo } from '../../../electron/contract/own.ts';
import { benchOf } from '../../state/comparison.ts';
import { errorText } from '../../state/notices.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { type Outcome, outcomeOf } from './verdict.ts';

/** Enough for a verdict; the Compare panel measures in earnest. */
const ROUNDS = 7;
const TIME_S = 20;

export type Busy = 'saving' | 'building' | 'running' | null;

export interface Editing {
  /** What the file held when it was opened; another object each time. */
  readonly read: { readonly id: string; readonly text: string } | null;
  /** As it was read or saved. */
  readonly saved: string | null;
  readonly info: OwnVariantInfo | null;
  readonly issues: readonly Issue[];
  readonly busy: Busy;
  /** A sentence about what was done last. */
  readonly says: string;
  readonly outcome: Outcome | null;
  /** Compiles what is in the editor, after saving it. */
  build(text: string): Promise<boolean>;
  save(text: string): Promise<boolean>;
  /** Builds, asks for trust, runs it beside the variant that it was made from. */
  run(text: string): Promise<void>;
}

/** `id`: an own variant, or null. */
export function useEditing(id: string | null): Editing {
  const { client, stores, own, benches } = useWorkbench();
  const beside = useSelected(stores.own, (state) => state.beside);
  const [read, setRead] = useState<Editing['read']>(null);
  const [saved, setSaved] = useState<string | null>(null);
  const [info, setInfo] = useState<OwnVariantInfo | null>(null);
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const [busy, setBusy] = useState<Busy>(null);
  const [says, setSays] = useState('');
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [bench, setBench] = useState<string | null>(null);
  const benchState = useSelected(stores.comparison, (state) => benchOf(state, bench)?.state ?? null);

  useEffect(() => {
    let current = true;
    setRead(null);
    setSaved(null);
    setInfo(null);
    setIssues([]);
    setOutcome(null);
    setSays('');
    if (id === null) return;
    client.call('own.read', { beside, id }).then(
      (found) => {
        if (!current) return;
        setRead({ id, text: found.text });
        setSaved(found.text);
        setInfo(found.info);
      },
      (error: unknown) => current && setSays(errorText(error)),
    );
    return () => {
      current = false;
    };
  }, [client, beside, id]);

  useEffect(() => {
    if (bench === null || id === null || benchState === null) return;
    if (benchState === 'queued' || benchState === 'running') return;
    setBench(null);
    setBusy(null);
    setSays('');
    client.call('bench.session', { bench }).then(
      ({ session }) => setOutcome(outcomeOf(session, id)),
      (error: unknown) => setOutcome({ kind: 'refused', reason: errorText(error) }),
    );
  }, [client, bench, benchState, id]);

  // Until the file is read, the editor holds another one's text.
  const isRead = read !== null && read.id === id;
  // One after the other: what was typed last is what the file holds in the end.
  const lastSave = useRef<Promise<unknown>>(Promise.resolve());
  const save = useCallback(
    async (text: string): Promise<boolean> => {
      if (id === null || !isRead) return false;
      const saving = lastSave.current.then(() => client.call('own.save', { beside, id, text }));
      lastSave.current = saving.catch(() => undefined);
      try {
        setInfo(await saving);
        setSaved(text);
        setSays('Saved');
        await own.refresh();
        return true;
      } catch (error) {
        stores.notices.fail(`${id} was not saved`, error);
        return false;
      }
    },
    [client, stores, own, beside, id, isRead],
  );

  const build = useCallback(
    async (text: string): Promise<boolean> => {
      if (id === null || !isRead) return false;
      setBusy('building');
      setSays('Compiling …');
      setOutcome(null);
      try {
        if (text !== saved && !(await save(text))) return false;
        const result = await client.call('own.build', { beside, id });
        setIssues(result.issues);
        const errors = result.issues.filter(({ severity }) => severity === 'error').length;
        const warnings = result.issues.length - errors;
        const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;
        setSays(
          result.built
            ? `Compiled in ${result.seconds.toFixed(1)} s${warnings === 0 ? '' : `, ${count(warnings, 'warning')}`}`
            : `Does not compile: ${count(errors, 'error')}`,
        );
        return result.built;
      } catch (error) {
        setSays(error instanceof BraggError ? error.message : errorText(error));
        return false;
      } finally {
        setBusy(null);
      }
    },
    [client, beside, id, isRead, saved, save],
  );

  const run = useCallback(
    async (text: string): Promise<void> => {
      if (id === null || info === null || !(await build(text))) return;
      if (!(await own.trust(id))) return setSays('It was not run: you have not said that you trust it.');
      setBusy('running');
      const variants = [info.description.base, id];
      const order = { variants, external: [], modes: [], rounds: ROUNDS, time_s: TIME_S, sweep: null };
      const started = await benches.start(order);
      if (started === null) return setBusy(null);
      setSays(`Running beside ${info.description.base} …`);
      setBench(started.id);
    },
    [own, benches, id, info, build],
  );

  return { read, saved, info, issues, busy, says, outcome, build, save, run };
}
