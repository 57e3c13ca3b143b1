import { describe, expect, it } from 'vitest';
import { matches, parseShortcut, shortcutText } from '../../../renderer/commands/shortcut.ts';

const press = (
  key: string,
  modifiers: Partial<Record<'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey', boolean>> = {},
  code = '',
) => ({
  key,
  code,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...modifiers,
});

describe('shortcuts', () => {
  it('are Control elsewhere and Command on a Mac', () => {
    const save = parseShortcut('CmdOrCtrl+S');
    expect(matches(save, press('s', { ctrlKey: true }), false)).toBe(true);
    expect(matches(save, press('s', { metaKey: true }), false)).toBe(false);
    expect(matches(save, press('s', { metaKey: true }), true)).toBe(true);
    expect(matches(save, press('s', { ctrlKey: true }), true)).toBe(false);
  });

  it('want exactly their modifiers', () => {
    const redo = parseShortcut('CmdOrCtrl+Shift+Z');
    expect(matches(redo, press('Z', { ctrlKey: true, shiftKey: true }), false)).toBe(true);
    expect(matches(redo, press('z', { ctrlKey: true }), false)).toBe(false);
    expect(matches(redo, press('z', { ctrlKey: true, shiftKey: true, altKey: true }), false)).toBe(false);
    expect(matches(parseShortcut('Escape'), press('Escape'), false)).toBe(true);
  });

  it('go by the place of the key where Alt makes another sign of it', () => {
    expect(matches(parseShortcut('Alt+N'), press('˜', { altKey: true }, 'KeyN'), true)).toBe(true);
    expect(matches(parseShortcut('Alt+0'), press('º', { altKey: true }, 'Digit0'), true)).toBe(true);
  });

  it('are shown as the platform does', () => {
    expect(shortcutText('CmdOrCtrl+Shift+S', false)).toBe('Ctrl+Shift+S');
    expect(shortcutText('CmdOrCtrl+Shift+S', true)).toBe('⇧⌘S');
    expect(shortcutText('CmdOrCtrl+Enter', false)).toBe('Ctrl+Enter');
    expect(shortcutText('CmdOrCtrl+.', false)).toBe('Ctrl+.');
  });

  it('refuse what is none: the table is written by hand', () => {
    expect(() => parseShortcut('Ctl+S')).toThrow('Ctl+S is not a shortcut');
    expect(() => parseShortcut('CmdOrCtrl+')).toThrow();
  });
});
