import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { BraggError } from '../../../electron/contract/errors.ts';
import { ArrayCache, type RunKeyframes, SHOWN_KEY } from '../../../renderer/data/run-data.ts';
import { createDialogsStore } from '../../../renderer/state/dialogs.ts';
import { createNoticesStore } from '../../../renderer/state/notices.ts';
import { createPersisted, memoryStorage } from '../../../renderer/state/persisted.ts';
import { createPlaybackStore, initialFrame, type PlaybackStore } from '../../../renderer/state/playback.ts';
import { createSelectionStore, shownCrosshair } from '../../../renderer/state/selection.ts';
import { createZoomStore } from '../../../renderer/state/view.ts';
import { playKeyframes } from '../../../renderer/workloads/transport/index.ts';

const frames = (count: number) => Array.from({ length: count }, (_, i) => ({ step: i * 10, depth_mm: i }));

describe('playback', () => {
  it('stays within the frames', () => {
    const store = createPlaybackStore();
    store.go(3);
    expect(store.getState().index).toBe(0);
    store.load(frames(5), 9);
    expect(store.getState().index).toBe(4);
    store.go(-2);
    expect(store.getState().index).toBe(0);
    store.load(frames(1), 0);
    store.toggle();
    expect(store.getState().playing).toBe(false);
  });

  it('stops at the last frame, and starts over from there', () => {
    const store = createPlaybackStore();
    store.load(frames(3), 1);
    store.toggle();
    store.advance();
    expect(store.getState()).toMatchObject({ index: 2, playing: false });
    store.toggle();
    expect(store.getState()).toMatchObject({ index: 0, playing: true });
    store.go(1);
    expect(store.getState()).toMatchObject({ index: 1, playing: false });
  });

  it('begins at the first frame with a visible beam', () => {
    expect(initialFrame(frames(9), false)).toBe(4);
    expect(initialFrame(frames(9), true)).toBe(8);
    expect(initialFrame([], true)).toBe(0);
  });
});

describe('the player', () => {
  let playback: PlaybackStore;
  let kept: ArrayCache<RunKeyframes>;
  let requested: number[];

  beforeEach(() => {
    vi.useFakeTimers();
    playback = createPlaybackStore();
    kept = new ArrayCache();
    requested = [];
    playKeyframes(
      playback,
      { keyframes: kept },
      {
        showKeyframe: (index) => {
          requested.push(index);
          return Promise.resolve();
        },
      },
    );
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('requests the initial frame of a loaded run, and every selected frame', () => {
    kept.set(SHOWN_KEY, { run: 'a', frames: frames(5), stopped: false, pairs: [] });
    playback.go(4);
    playback.go(4);
    expect(requested).toEqual([2, 4]);
    kept.drop(SHOWN_KEY);
    expect(playback.getState().frames).toEqual([]);
    expect(requested).toEqual([2, 4]);
  });

  it('keeps its position while Live stores fewer frames, and returns there at rest', () => {
    kept.set(SHOWN_KEY, { run: 'a', frames: frames(64), stopped: false, pairs: [] });
    playback.go(20);
    requested.length = 0;
    kept.set(SHOWN_KEY, { run: 'live', frames: frames(9), stopped: false, pairs: [], live: 'drag' });
    kept.set(SHOWN_KEY, { run: 'live', frames: frames(9), stopped: false, pairs: [], live: 'drag' });
    kept.set(SHOWN_KEY, { run: 'live', frames: frames(64), stopped: false, pairs: [], live: 'rest' });
    expect(requested).toEqual([3, 3, 20]);
    kept.set(SHOWN_KEY, { run: 'live', frames: frames(9), stopped: false, pairs: [], live: 'drag' });
    playback.go(8);
    kept.set(SHOWN_KEY, { run: 'live', frames: frames(64), stopped: false, pairs: [], live: 'rest' });
    expect(playback.getState().index).toBe(63);
  });

  it('plays every frame to the end, and stops on pause', async () => {
    kept.set(SHOWN_KEY, { run: 'a', frames: frames(6), stopped: false, pairs: [] });
    requested.length = 0;
    playback.toggle();
    await vi.advanceTimersByTimeAsync(1000);
    expect([...new Set(requested)]).toEqual([3, 4, 5]);
    expect(playback.getState()).toMatchObject({ index: 5, playing: false });
    playback.toggle();
    await vi.advanceTimersByTimeAsync(100);
    playback.pause();
    const { index } = playback.getState();
    await vi.advanceTimersByTimeAsync(1000);
    expect(playback.getState().index).toBe(index);
  });
});

describe('the crosshair', () => {
  it('keeps the pinned position on axes that a plot does not have', () => {
    const selection = createSelectionStore();
    selection.pin({ z: 1, x: 2 });
    selection.pin({ theta: 3, e: 4 });
    expect(shownCrosshair(selection.getState())).toEqual({ z: 1, x: 2, theta: 3, e: 4 });
    selection.point({ z: 9 });
    expect(shownCrosshair(selection.getState())).toEqual({ z: 9, x: 2, theta: 3, e: 4 });
    selection.point(null);
    expect(shownCrosshair(selection.getState())?.z).toBe(1);
  });
});

describe('stored settings', () => {
  const schema = z.strictObject({ size: z.number() });
  const options = { name: 'test', schema, initial: { size: 1 } };

  it('migrate from an older version', () => {
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

  it('are reset if there is no migration from their version', () => {
    const storage = memoryStorage();
    storage.setItem('braggbench.test', JSON.stringify({ version: 1, data: {} }));
    const reset = vi.fn();
    expect(createPersisted({ ...options, storage, version: 3, onReset: reset }).getState()).toEqual({ size: 1 });
    expect(reset).toHaveBeenCalledWith('test', 'settings of version 1 cannot be migrated');
  });

  it('are lost without an error if storage is full', () => {
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
  it('notifies the listeners of an entry, and never reuses a revision number', () => {
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
  it('return an answer to their caller, and a new dialog dismisses the open one', async () => {
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

describe('notices of the page', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('disappear by themselves if they report success, and stay if they report a problem', () => {
    const notices = createNoticesStore();
    notices.show({ tone: 'success', title: 'Saved' });
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

  it('show the same message once, and at most as many as fit', () => {
    const notices = createNoticesStore();
    for (let i = 0; i < 3; i += 1) notices.show({ tone: 'error', title: 'Same' });
    expect(notices.getState().notices).toHaveLength(1);
    for (let i = 0; i < 9; i += 1) notices.show({ tone: 'error', title: `Number ${i}` });
    expect(notices.getState().notices.map((notice) => notice.title)).toEqual([
      'Number 5',
      'Number 6',
      'Number 7',
      'Number 8',
    ]);
  });
});

describe('selection and windows', () => {
  it('prefer the pointer position to the pinned one', () => {
    const selection = createSelectionStore();
    selection.setState({ pinned: { z: 1 } });
    expect(shownCrosshair(selection.getState())).toEqual({ z: 1 });
    selection.setState({ hover: { z: 2, x: 3 } });
    expect(shownCrosshair(selection.getState())).toEqual({ z: 2, x: 3 });
  });

  it('zoom one axis independently of the other', () => {
    const windows = createZoomStore();
    windows.zoom({ z: [1, 2], x: [3, 4] });
    windows.zoom({ x: null });
    expect(windows.getState().windows).toEqual({ z: [1, 2] });
    windows.reset();
    expect(windows.getState().windows).toEqual({});
  });
});
