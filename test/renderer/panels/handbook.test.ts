/** The handbook in the page: every file is a page, every panel has one, links lead on, and nothing becomes HTML. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { anchorOf, handbookPages, pageOfPanel } from '../../../renderer/base/handbook-pages.ts';
import { Markdown, placeOf } from '../../../renderer/panels/handbook/markdown.tsx';
import { pageIds, pageText, pageTitle, search } from '../../../renderer/panels/handbook/pages.ts';
import { createHandbookStore } from '../../../renderer/state/handbook.ts';
import { panelSlots } from '../../../renderer/state/layout/defaults.ts';

const folder = path.resolve(import.meta.dirname, '../../../assets/handbook');
const shown = (text: string): string =>
  renderToStaticMarkup(createElement(Markdown, { text, page: 'start', onOpen: () => undefined }));

test('every file of the folder is a page, under its own title, and listed in its contents', () => {
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

test('every panel has a page and a heading that are there', () => {
  expect(Object.keys(pageOfPanel).toSorted()).toEqual(panelSlots.map(({ id }) => id).toSorted());
  for (const [panel, { page, anchor }] of Object.entries(pageOfPanel)) {
    const headings = [...(pageText(page) ?? '').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => anchorOf(title));
    expect(headings.length, panel).toBeGreaterThan(0);
    if (anchor !== null) expect(headings, panel).toContain(anchor);
  }
});

describe('Markdown', () => {
  test('headings, lists, code, tables', () => {
    const html = shown(
      '# A `b` c\n\n1. one **two**\n2. three\n\n```\na < b && c\n```\n\n| x | >y |\n| --- | --: |\n| `a|b` | 2 |\n',
    );
    expect(html).toContain('<h1 id="handbook-a-b-c" tabindex="-1">A <code>b</code> c</h1>');
    expect(html).toContain('<li>one <strong>two</strong></li>');
    expect(html).toContain('<pre><code>a &lt; b &amp;&amp; c</code></pre>');
    expect(html).toContain('<td class="handbook__number">');
    expect(shown('a `x < y` & "b"')).toBe('<p>a <code>x &lt; y</code> &amp; &quot;b&quot;</p>');
  });

  test('tags stay text, and only pages are links', () => {
    const html = shown(
      '<script>alert(1)</script>\n\na <img src=x onerror=alert(1)> b\n\n[x](javascript:alert(1)) [y](https://example.org/) [z](scenarios.md#mistakes)\n\n![p](a.png)\n',
    );
    expect(html).not.toMatch(/<(?:script|img)/);
    expect(html).toContain('&lt;script&gt;');
    expect(html.match(/<a /g)).toHaveLength(1);
    expect(html).toContain('<a href="#scenarios">z</a>');
    expect(html).toContain('y (https://example.org/)');
  });

  test('every page is drawn whole: no token is left as source', () => {
    for (const id of pageIds) {
      const html = shown(pageText(id) ?? '');
      expect(html, id).not.toMatch(/\]\(|\*\*|^\|/m);
      expect(html).toContain(`<h1`);
    }
  });
});

test('links of a page: to another, to a heading, to neither', () => {
  expect(placeOf('scenarios.md', 'start')).toEqual({ page: 'scenarios', anchor: null });
  expect(placeOf('scenarios.md#mistakes', 'start')).toEqual({ page: 'scenarios', anchor: 'mistakes' });
  expect(placeOf('#mistakes', 'scenarios')).toEqual({ page: 'scenarios', anchor: 'mistakes' });
  for (const other of ['https://example.org/a.md', '../../README.md', 'javascript:x', '']) {
    expect(placeOf(other, 'start'), other).toBeNull();
  }
});

describe('search', () => {
  test('finds parts with every word, headings first, with their surroundings', () => {
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

test('the store goes back where it was, and knows the page of the panel in focus', () => {
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
  expect(store.getState()).toMatchObject({ place: { page: 'start' }, before: [] });
  store.back();
  expect(store.getState().place.page).toBe('start');
});
