/**
 * The library's examples: each is listed once, under its question, with a picture. Each empty state offers an action,
 * unless the panel is only loading. The handbook in the page: every file is a page, every panel has one, links have
 * targets, and no text becomes HTML.
 */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it, test } from 'vitest';
import type { LibraryItem } from '../../../electron/contract/files.ts';
import { expandGroups } from '../../../electron/domain/examples.ts';
import { anchorOf, handbookPages } from '../../../renderer/base/handbook-pages.ts';
import { handbookLinkOf, Markdown } from '../../../renderer/panels/handbook/markdown.tsx';
import { pageIds, pageText, pageTitle, search } from '../../../renderer/panels/handbook/pages.ts';
import { itemSummary } from '../../../renderer/panels/library/entry.tsx';
import { exampleGroups, groupItems, matchingTemplates } from '../../../renderer/panels/library/examples-list.tsx';
import { notPackableReason } from '../../../renderer/panels/library/pack-project.tsx';
import { barLengths, thumbnailOf } from '../../../renderer/panels/library/thumbnails.ts';
import { createHandbookStore } from '../../../renderer/state/handbook.ts';
import { panelSlots } from '../../../renderer/state/layout/defaults.ts';
import { exampleBars } from '../../pictures/bars.ts';

describe('empty states of panels', () => {
  const root = path.resolve(import.meta.dirname, '../../..');

  /** The opening tag that begins at this position: braces may contain nested tags. */
  function tagAt(text: string, from: number): string {
    let depth = 0;
    for (let at = from; at < text.length; at += 1) {
      if (text[at] === '{') depth += 1;
      if (text[at] === '}') depth -= 1;
      if (text[at] === '>' && depth === 0) return text.slice(from, at + 1);
    }
    throw new Error('a tag without an end');
  }

  /** Matches a missing action: `null` as the complete value, or as one of two cases. */
  const NOTHING = /action=\{null|\?\s*null\s*:|>\s*:\s*null\s*\}/;

  const tags = globSync('renderer/**/*.tsx', { cwd: root }).flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    return [...text.matchAll(/<EmptyState\b/g)].map(({ index }) => ({ file, tag: tagAt(text, index) }));
  });

  test('suggest an action, or report that the panel loads', () => {
    expect(tags.length).toBeGreaterThan(30);
    for (const { file, tag } of tags) {
      expect(tag, file).toMatch(/\baction=\{/);
      if (NOTHING.test(tag)) expect(tag, `${file}: ${tag}`).toMatch(/title=.*Reading/s);
    }
  });
});

describe('the handbook', () => {
  const folder = path.resolve(import.meta.dirname, '../../../assets/handbook');
  const shown = (text: string): string =>
    renderToStaticMarkup(createElement(Markdown, { text, page: 'start', onOpen: () => undefined }));

  test('has a page with its own title for every file of the folder, listed in its contents', () => {
    const files = readdirSync(folder).map((file) => file.replace(/\.md$/, ''));
    const pages = files.filter((file) => file !== 'README');
    expect(handbookPages.map(({ id }) => id).toSorted()).toEqual(pages.toSorted());
    expect([...pageIds].toSorted()).toEqual(files.toSorted());
    const contents = readFileSync(path.join(folder, 'README.md'), 'utf8');
    for (const { id, title } of handbookPages) {
      expect(pageText(id)?.startsWith(`# ${title}\n`), id).toBe(true);
      expect(contents).toContain(`[${title}](${id}.md)`);
      expect(pageText(id)).not.toContain('<!--');
    }
  });

  test('has an existing page and heading for every panel', () => {
    for (const {
      id: panel,
      help: { page, anchor },
    } of panelSlots) {
      const headings = [...(pageText(page) ?? '').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => anchorOf(title));
      expect(headings.length, panel).toBeGreaterThan(0);
      if (anchor !== null) expect(headings, panel).toContain(anchor);
    }
  });

  describe('handbook Markdown', () => {
    test('renders headings, lists, code and tables', () => {
      const html = shown(
        '# A `b` c\n\n1. one **two**\n2. three\n\n```\na < b && c\n```\n\n| x | >y |\n| --- | --: |\n| `a|b` | 2 |\n',
      );
      expect(html).toContain('<h1 id="handbook-a-b-c" tabindex="-1">A <code>b</code> c</h1>');
      expect(html).toContain('<li>one <strong>two</strong></li>');
      expect(html).toContain('<pre><code>a &lt; b &amp;&amp; c</code></pre>');
      expect(html).toContain('<td class="handbook__number">');
      expect(shown('a `x < y` & "b"')).toBe('<p>a <code>x &lt; y</code> &amp; &quot;b&quot;</p>');
    });

    test('keeps tags as text, and links only to pages', () => {
      const html = shown(
        '<script>alert(1)</script>\n\na <img src=x onerror=alert(1)> b\n\n[x](javascript:alert(1)) [y](https://example.org/) [z](scenarios.md#mistakes)\n\n![p](a.png)\n',
      );
      expect(html).not.toMatch(/<(?:script|img)/);
      expect(html).toContain('&lt;script&gt;');
      expect(html.match(/<a /g)).toHaveLength(1);
      expect(html).toContain('<a href="#scenarios">z</a>');
      expect(html).toContain('y (https://example.org/)');
    });

    test('is rendered completely on every page, without any token left as source', () => {
      for (const id of pageIds) {
        const html = shown(pageText(id) ?? '');
        expect(html, id).not.toMatch(/\]\(|\*\*|^\|/m);
        expect(html).toContain(`<h1`);
      }
    });
  });

  test('every link on a page leads to another page, to a heading, or nowhere', () => {
    expect(handbookLinkOf('scenarios.md', 'start')).toEqual({ page: 'scenarios', anchor: null });
    expect(handbookLinkOf('scenarios.md#mistakes', 'start')).toEqual({ page: 'scenarios', anchor: 'mistakes' });
    expect(handbookLinkOf('#mistakes', 'scenarios')).toEqual({ page: 'scenarios', anchor: 'mistakes' });
    for (const other of ['https://example.org/a.md', '../../README.md', 'javascript:x', '']) {
      expect(handbookLinkOf(other, 'start'), other).toBeNull();
    }
  });

  describe('the search in the handbook', () => {
    test('finds sections that contain every word, headings first, with their context', () => {
      const found = search('noise FLOOR');
      expect(found[0]).toMatchObject({ page: 'comparing', heading: 'Which variant is faster?' });
      expect(found[0]?.excerpt.toLowerCase()).toContain('noise');
      const [first] = search('ledger');
      expect(first).toMatchObject({ page: 'reading-results', heading: 'The ledger', anchor: 'the-ledger' });
      expect(search('')).toEqual([]);
      expect(search('zzz')).toEqual([]);
      for (const { page, title } of search('beam')) expect(title).toBe(pageTitle(page));
    });
  });

  test('can go back, and opens the page of the focused panel', () => {
    const store = createHandbookStore();
    expect(store.placeOfFocus()).toEqual({ page: 'start', anchor: null });
    store.focused('ledger');
    expect(store.placeOfFocus()).toEqual({ page: 'reading-results', anchor: 'the-ledger' });
    store.open(store.placeOfFocus());
    store.open(store.placeOfFocus());
    store.search('beam');
    expect(store.getState().query).toBe('beam');
    store.open({ page: 'scenarios', anchor: null });
    expect(store.getState().query).toBe('');
    store.back();
    expect(store.getState().place.page).toBe('reading-results');
    store.back();
    expect(store.getState()).toMatchObject({ place: { page: 'start' }, history: [] });
    store.back();
    expect(store.getState().place.page).toBe('start');
  });
});

const assets = path.resolve(import.meta.dirname, '../../../assets');
const below = (folder: string, ending: string): string[] =>
  readdirSync(path.join(assets, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => file.endsWith(ending));
const shippedFiles = [...below('scenarios', '.json'), ...below('runs', '.h5').map((file) => `recorded/${file}`)];

const item = (id: string, more: Partial<LibraryItem> = {}): LibraryItem => ({
  ...{ id, file: null, fileName: id, kind: 'scenario', name: id, notes: '', tags: [], remark: '', problem: null },
  ...{ bytes: 1, modified: '2026-01-01T00:00:00Z' },
  facts: {
    ...{ workload: null, about: null, variant: null, precision: null, result: null },
    wall_s: null,
    status: null,
    device: null,
  },
  ...more,
});

describe('kernel templates', () => {
  it('are found by what they are, as files are', () => {
    const all = [
      { id: 'vector-add', title: 'Vector add', says: 'a thread for each result' },
      { id: 'reduction', title: 'Reduction', says: 'threads share a sum' },
    ];
    const found = (text: string) => matchingTemplates(all, text).map(({ id }) => id);
    expect(found('')).toEqual(['vector-add', 'reduction']);
    expect(found('own kernel SUM')).toEqual(['reduction']);
    expect(found('bone')).toEqual([]);
  });
});

describe('groups of examples', () => {
  it('contain every shipped file once', () => {
    const files = expandGroups(exampleGroups, shippedFiles).flatMap((group) => group.files);
    expect(files.length).toBeGreaterThan(60);
    expect([...files].sort()).toEqual([...shippedFiles].sort());
  });

  it('are in their declared order, whatever the order of the files', () => {
    const found = groupItems([...shippedFiles].reverse().map((id) => item(id)));
    const declared = expandGroups(exampleGroups, shippedFiles).filter(({ files }) => files.length > 0);
    expect(found.map(({ question }) => question)).toEqual(declared.map(({ question }) => question));
    expect(found.flatMap(({ items }) => items.map(({ id }) => id))).toEqual(declared.flatMap(({ files }) => files));
    // Each subject has one heading.
    const heads = found.filter((group) => group.heads).map(({ about }) => about);
    expect(heads).toEqual([...new Set(exampleGroups.map(({ about }) => about))]);
  });

  it('include examples from a folder that no question names, in their order', () => {
    const found = groupItems([item('micro/zebra.json'), item('micro/scan.json'), item('micro/aye-aye.json')]);
    expect(found.map(({ question, items }) => [question, items.map(({ id }) => id)])).toEqual([
      ['How are many values made one, or fewer?', ['micro/scan.json']],
      ['Which other claims are measured?', ['micro/aye-aye.json', 'micro/zebra.json']],
    ]);
  });

  it('omit empty groups, and keep examples that belong to none', () => {
    const found = groupItems([item('new.json'), item('micro/scan.json')]);
    expect(found.map(({ items, heads }) => [items.map(({ id }) => id), heads])).toEqual([
      [['micro/scan.json'], true],
      [['new.json'], true],
    ]);
  });
});

describe('the picture next to an example', () => {
  it('is its field or its session', () => {
    expect(shippedFiles.filter((key) => thumbnailOf(key) === null)).toEqual([]);
    expect(thumbnailOf('recorded/h200-water-70MeV-cuda-depth.h5')).toEqual(thumbnailOf('water-70MeV.json'));
    expect(thumbnailOf('recorded/h200-overlap-cuda-streams.h5')).toEqual(thumbnailOf('micro/overlap.json'));
  });

  it('shows the bars of the recorded sessions, which `npm run pictures` updates', () => {
    expect(JSON.parse(readFileSync(path.join(assets, 'examples/bars.json'), 'utf8'))).toEqual(exampleBars());
  });

  it('shows the slowest with the longest bar, and wrong variants as wrong', () => {
    const found = thumbnailOf('micro/views.json');
    if (found?.kind !== 'bars') throw new Error('no bars');
    expect(found.bars.filter(({ right }) => !right).length).toBe(2);
    const long = barLengths(found.bars);
    expect(Math.max(...long)).toBe(1);
    expect(Math.min(...long)).toBeGreaterThan(0.05);
    const slowest = found.bars.reduce((a, b, i) => (b.time_s > (found.bars[a]?.time_s ?? 0) ? i : a), 0);
    expect(long[slowest]).toBe(1);
    expect(barLengths([{ time_s: 2 }, { time_s: 2 }])).toEqual([1, 1]);
  });

  it('has a one-line summary: the first sentence of its notes, or that of the run', () => {
    const notes = 'A chain of loads: sweep it. More words.';
    expect(itemSummary(item('a.json', { notes }))).toBe('A chain of loads: sweep it.');
    expect(itemSummary(item('a.json', { notes: '' }))).toContain('a.json');
    expect(itemSummary(item('recorded/a.h5', { kind: 'run', notes, name: 'Beam' }))).not.toContain('chain');
  });
});

describe('a project in the library', () => {
  it('reports why it cannot be packed yet', () => {
    expect(notPackableReason(' ', 2)).toBe('The project needs a name.');
    expect(notPackableReason('x'.repeat(101), 2)).toBe('The name has 101 characters; allowed: at most 100.');
    expect(notPackableReason('mine', 0)).toBe('Choose at least one part to pack.');
    expect(notPackableReason('x'.repeat(100), 1)).toBeNull();
  });
});
