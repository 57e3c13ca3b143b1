import { describe, expect, it } from 'vitest';
import type { NamedFile } from '../../../electron/contract/files.ts';
import { createScenarioStore, documentTitle, emptyDraft, isEdited } from '../../../renderer/state/scenario.ts';

const file: NamedFile = { file: { kind: 'library', key: 'mine.json' }, name: 'mine.json', place: 'library' };

function opened() {
  const store = createScenarioStore();
  store.open({ draft: { ...emptyDraft, name: 'Test' }, file, readOnly: false });
  return store;
}

describe('the scenario being edited', () => {
  it('undoes and redoes, and knows when it is what was saved', () => {
    const store = opened();
    store.edit(['beam', 'energy_MeV'], 100, 'Energy');
    store.edit(['beam', 'angle_deg'], 5, 'Angle');
    expect(isEdited(store.getState())).toBe(true);
    store.undo();
    expect(store.getState().draft).toMatchObject({ beam: { energy_MeV: 100 } });
    expect(store.getState().future.at(-1)?.label).toBe('Angle');
    store.undo();
    expect(isEdited(store.getState())).toBe(false);
    store.undo();
    store.redo();
    store.redo();
    store.redo();
    expect(store.getState().draft).toMatchObject({ beam: { energy_MeV: 100, angle_deg: 5 } });
  });

  it('takes the digits of one number as one edit, until the field is left', () => {
    const store = opened();
    for (const value of [1, 15, 150]) store.edit(['beam', 'energy_MeV'], value, 'Energy', 'beam.energy_MeV');
    expect(store.getState().past).toHaveLength(1);
    store.settle();
    store.edit(['beam', 'energy_MeV'], 151, 'Energy', 'beam.energy_MeV');
    expect(store.getState().past).toHaveLength(2);
    store.undo();
    expect(store.getState().draft).toMatchObject({ beam: { energy_MeV: 150 } });
  });

  it('forgets what could be redone once something else is edited', () => {
    const store = opened();
    store.edit(['name'], 'A', 'Name');
    store.undo();
    store.edit(['name'], 'B', 'Name');
    expect(store.getState().future).toEqual([]);
  });

  it('leaves no empty objects behind when a value goes back to its default', () => {
    const store = opened();
    store.edit(['grid', 'energy', 'step_mm'], 0.1, 'Range step');
    store.edit(['grid', 'energy', 'step_mm'], undefined, 'Range step');
    expect(store.getState().draft).toEqual({ ...emptyDraft, name: 'Test' });
    expect(isEdited(store.getState())).toBe(false);
  });

  it('does not count an edit that changes nothing', () => {
    const store = opened();
    store.edit(['beam', 'energy_MeV'], 70, 'Energy');
    store.edit(['solver', 'threads'], undefined, 'Threads');
    expect(store.getState().past).toEqual([]);
  });

  it('keeps what is typed while it is saved as unsaved', () => {
    const store = opened();
    store.edit(['name'], 'A', 'Name');
    const { draft } = store.getState();
    store.edit(['name'], 'B', 'Name');
    store.markSaved(draft, file);
    expect(isEdited(store.getState())).toBe(true);
    store.undo();
    expect(isEdited(store.getState())).toBe(false);
  });

  it('is called by its file, its name, or nothing', () => {
    const store = createScenarioStore();
    expect(documentTitle(store.getState())).toBe('Untitled');
    store.edit(['name'], 'Mine', 'Name');
    expect(documentTitle(store.getState())).toBe('Mine');
    store.markSaved(store.getState().draft, file);
    expect(documentTitle(store.getState())).toBe('mine.json');
  });

  it('keeps the last values that resolved while a fault is corrected', () => {
    const store = opened();
    const resolved = { variant: 'window' } as never;
    store.checked({ draft: store.getState().draft, issues: [], resolved });
    store.checked({ draft: store.getState().draft, issues: [], resolved: null });
    expect(store.getState().lastResolved).toBe(resolved);
    expect(store.getState().check?.resolved).toBeNull();
  });
});
