import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { BraggError } from '../../../electron/contract/errors.ts';
import { ArrayCache } from '../../../renderer/data/array-cache.ts';
import { createDialogsStore } from '../../../renderer/state/dialogs.ts';
import { createNoticesStore } from '../../../renderer/state/notices.ts';
import { createPersisted, memoryStorage } from '../../../renderer/state/persisted.ts';
import { createSelectionStore, shownCrosshair } from '../../../renderer/state/selection.ts';
import { createWindowStore } from '../../../renderer/state/view.ts';

describe('stored settings', () => {
  const schema = z.strictObject({ size: z.number() });
  const options = { name: 'test', schema, initial: { size: 1 } };

  it('are carried over from an older version', () => {
    const storage = memoryStorage();
    storage.setItem('braggbench.test', JSON.stringify({ version: 1, data: { inches: 2 } }));
    const reset = vi.fn();
    const migrations = { 1: (data: unknown) => ({ size: (data as { inches: number }).inches * 25.4 }) };
    const store = createPersisted({ ...options, storage, version: 2, migrations, onReset: reset });
    expect(store.getState()).toEqual({ size: 50.8 });
    store.setState({ size: 3 });
    expect(JSON.parse(storage.getItem('braggbench.test') ?? '')).toEqual({ version: 2, data: { size: 3 } });
    expect(reset).not.toHaveBeenCalled();
  });

  it('are reset when there is no way from their version', () => {
    const storage = memoryStorage();
    storage.setItem('braggbench.test', JSON.stringify({ version: 1, data: {} }));
    const reset = vi.fn();
    expect(createPersisted({ ...options, storage, version: 3, onReset: reset }).getState()).toEqual({ size: 1 });
    expect(reset).toHaveBeenCalledWith('test', 'settings of version 1 cannot be carried over');
  });

  it('are lost without harm where storage is full', () => {
    const storage = {
      getItem: () => null,
      setItem: () => {
        throw new Error('full');
      },
    };
    const store = createPersisted({ ...options, storage, version: 1 });
    store.setState({ size: 2 });
    expect(store.getState()).toEqual({ size: 2 });
  });
});

describe('the array cache', () => {
  it('tells the listeners of an entry, and never gives a revision twice', () => {
    const cache = new ArrayCache<string>();
    const heard = vi.fn();
    const stop = cache.subscribe('a', heard);
    const first = cache.set('a', 'one');
    cache.set('b', 'other');
    cache.drop('a');
    cache.drop('a');
    const second = cache.set('a', 'two');
    expect(heard).toHaveBeenCalledTimes(3);
    expect(second.revision).toBeGreaterThan(first.revision);
    expect([cache.get('a'), cache.revision('a'), cache.get('none'), cache.revision('none')]).toEqual([
      'two',
      second.revision,
      null,
      0,
    ]);
    stop();
    cache.set('a', 'three');
    expect(heard).toHaveBeenCalledTimes(3);
  });
});

describe('dialogs', () => {
  it('answer whoever asked; one that takes the place of another dismisses it', async () => {
    const dialogs = createDialogsStore();
    const first = dialogs.ask('name', { title: 'First', suggested: 'a', extension: '.json' });
    const second = dialogs.ask('confirm', { title: 'Second', text: '', choices: [{ id: 'yes', label: 'Yes' }] });
    expect(await first).toBeNull();
    const open = dialogs.getState().open;
    expect(open?.kind).toBe('confirm');
    if (open?.kind === 'confirm') open.answer('yes');
    expect(await second).toBe('yes');
    expect(dialogs.getState().open).toBeNull();
  });
});

describe('notices', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('go by themselves when they are good news, and stay when they are not', () => {
    const notices = createNoticesStore();
    notices.tell({ tone: 'success', title: 'Saved' });
    const issue = {
      severity: 'error',
      file: 'a.json',
      path: 'beam',
      line: 3,
      column: 1,
      message: 'wrong',
      value: null,
      allowed: null,
    } as const;
    notices.fail('Not opened', new BraggError('invalid', 'It is wrong.', [issue]));
    vi.advanceTimersByTime(60_000);
    expect(notices.getState().notices).toMatchObject([
      { tone: 'error', title: 'Not opened', text: 'It is wrong.', issues: [issue] },
    ]);
    notices.dismiss(notices.getState().notices[0]?.id ?? 0);
    expect(notices.getState().notices).toEqual([]);
  });

  it('say the same thing once, and never more than fits', () => {
    const notices = createNoticesStore();
    for (let i = 0; i < 3; i += 1) notices.tell({ tone: 'error', title: 'Same' });
    expect(notices.getState().notices).toHaveLength(1);
    for (let i = 0; i < 9; i += 1) notices.tell({ tone: 'error', title: `Number ${i}` });
    expect(notices.getState().notices.map((notice) => notice.title)).toEqual([
      'Number 5',
      'Number 6',
      'Number 7',
      'Number 8',
    ]);
  });
});

describe('selection and windows', () => {
  it('show the pointer before the pin', () => {
    const selection = createSelectionStore();
    selection.setState({ pinned: { z: 1 } });
    expect(shownCrosshair(selection.getState())).toEqual({ z: 1 });
    selection.setState({ hover: { z: 2, x: 3 } });
    expect(shownCrosshair(selection.getState())).toEqual({ z: 2, x: 3 });
  });

  it('zoom one axis without the other', () => {
    const windows = createWindowStore();
    windows.zoom({ z: [1, 2], x: [3, 4] });
    windows.zoom({ x: null });
    expect(windows.getState().windows).toEqual({ z: [1, 2] });
    windows.reset();
    expect(windows.getState().windows).toEqual({});
  });
});
