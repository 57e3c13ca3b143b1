import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ArrayCache } from '../../../renderer/data/array-cache.ts';
import { type RunKeyframes, SHOWN } from '../../../renderer/data/run-data.ts';
import { createPlaybackStore, firstShown, type PlaybackStore } from '../../../renderer/state/playback.ts';
import { createSelectionStore, shownCrosshair } from '../../../renderer/state/selection.ts';
import { playKeyframes } from '../../../renderer/workloads/transport/play-keyframes.ts';

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

  it('begins where there is a beam to see', () => {
    expect(firstShown(frames(9), false)).toBe(4);
    expect(firstShown(frames(9), true)).toBe(8);
    expect(firstShown([], true)).toBe(0);
  });
});

describe('the player', () => {
  let playback: PlaybackStore;
  let kept: ArrayCache<RunKeyframes>;
  let asked: number[];

  beforeEach(() => {
    vi.useFakeTimers();
    playback = createPlaybackStore();
    kept = new ArrayCache();
    asked = [];
    playKeyframes(
      playback,
      { keyframes: kept },
      {
        showKeyframe: (index) => {
          asked.push(index);
          return Promise.resolve();
        },
      },
    );
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('asks for the frame that a loaded run begins with, and for every one that is chosen', () => {
    kept.set(SHOWN, { run: 'a', frames: frames(5), stopped: false, pairs: [] });
    playback.go(4);
    playback.go(4);
    expect(asked).toEqual([2, 4]);
    kept.drop(SHOWN);
    expect(playback.getState().frames).toEqual([]);
    expect(asked).toEqual([2, 4]);
  });

  it('stays where it is along the run while Live keeps fewer frames, and stands there again when the hand rests', () => {
    kept.set(SHOWN, { run: 'a', frames: frames(64), stopped: false, pairs: [] });
    playback.go(20);
    asked.length = 0;
    kept.set(SHOWN, { run: 'live', frames: frames(9), stopped: false, pairs: [], live: 'drag' });
    kept.set(SHOWN, { run: 'live', frames: frames(9), stopped: false, pairs: [], live: 'drag' });
    kept.set(SHOWN, { run: 'live', frames: frames(64), stopped: false, pairs: [], live: 'rest' });
    expect(asked).toEqual([3, 3, 20]);
    kept.set(SHOWN, { run: 'live', frames: frames(9), stopped: false, pairs: [], live: 'drag' });
    playback.go(8);
    kept.set(SHOWN, { run: 'live', frames: frames(64), stopped: false, pairs: [], live: 'rest' });
    expect(playback.getState().index).toBe(63);
  });

  it('plays every frame to the end, and not on after a pause', async () => {
    kept.set(SHOWN, { run: 'a', frames: frames(6), stopped: false, pairs: [] });
    asked.length = 0;
    playback.toggle();
    await vi.advanceTimersByTimeAsync(1000);
    expect([...new Set(asked)]).toEqual([3, 4, 5]);
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
  it('keeps the axes that a plot does not have where they were pinned', () => {
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
