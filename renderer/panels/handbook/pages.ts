/** Text of the handbook's pages, and full-text search. */
import { anchorOf, type HandbookLink, handbookPages } from '../../base/handbook-pages.ts';

// Vite puts the files into the panel's chunk.
const files = import.meta.glob('../../../assets/handbook/*.md', {
  query: '?raw',
  import: 'default',
  eager: true,
}) as Readonly<Record<string, string>>;

const texts = new Map(
  Object.entries(files).map(([file, text]) => [file.replace(/^.*\/|\.md$/g, ''), text.replace(/<!--[\s\S]*?-->/g, '')]),
);

export const pageIds: readonly string[] = [...texts.keys()];

/** Markdown of a page without HTML comments; null if there is no such page. */
export const pageText = (page: string): string | null => texts.get(page) ?? null;

export const pageTitle = (page: string): string =>
  handbookPages.find(({ id }) => id === page)?.title ?? /^# (.*)$/m.exec(texts.get(page) ?? '')?.[1] ?? page;

export interface SearchMatch extends HandbookLink {
  readonly title: string;
  /** Heading of the section; null for text before the first heading. */
  readonly heading: string | null;
  /** Text around the first hit. */
  readonly excerpt: string;
}

interface Part {
  readonly page: string;
  readonly heading: string | null;
  readonly plain: string;
}

/** Searchable text, without Markdown syntax. */
const withoutMarkup = (text: string): string =>
  text
    .replace(/^[|: -]+$/gm, '')
    .replace(/\]\([^)]*\)/g, '')
    .replace(/[`*#|[\]]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

const parts: readonly Part[] = handbookPages.flatMap(({ id }) =>
  (texts.get(id) ?? '').split(/^(?=#{2,3} )/m).map((text) => {
    const heading = /^#{2,3} (.*)$/m.exec(text)?.[1] ?? null;
    return { page: id, heading, plain: withoutMarkup(text.replace(/^#+ .*$/m, '')) };
  }),
);

/** Every heading of every page, in reading order. */
export const headings = parts.flatMap(({ page, heading }) =>
  heading === null
    ? []
    : [{ page, anchor: anchorOf(heading), title: pageTitle(page), heading: heading.replaceAll('`', '') }],
);

const MAX_FOUND = 30;
/** Characters in an excerpt before and after the hit. */
const EXCERPT_CONTEXT = 70;

function excerptOf(plain: string, word: string): string {
  const at = Math.max(0, plain.toLowerCase().indexOf(word));
  const [from, to] = [Math.max(0, at - EXCERPT_CONTEXT), at + word.length + EXCERPT_CONTEXT];
  return `${from > 0 ? '… ' : ''}${plain.slice(from, to).trim()}${to < plain.length ? ' …' : ''}`;
}

/** Parts that contain every word; parts with hits in title or heading come first. */
export function search(query: string): readonly SearchMatch[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const [first] = words;
  if (first === undefined) return [];
  const hits = parts.flatMap(({ page, heading, plain }) => {
    const title = pageTitle(page);
    const head = `${title} ${heading ?? ''}`.toLowerCase();
    const all = `${head} ${plain.toLowerCase()}`;
    if (!words.every((word) => all.includes(word))) return [];
    const rank = words.filter((word) => head.includes(word)).length;
    const anchor = heading === null ? null : anchorOf(heading);
    return [{ rank, found: { page, anchor, title, heading, excerpt: excerptOf(plain, first) } }];
  });
  return hits
    .sort((a, b) => b.rank - a.rank)
    .slice(0, MAX_FOUND)
    .map(({ found }) => found);
}
