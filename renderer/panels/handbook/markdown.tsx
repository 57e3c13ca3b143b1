/**
 * Renders Markdown as React elements from marked's tokens. No HTML is inserted into the page: tags are shown as text,
 * and only links to pages of the handbook become links.
 */
import { lexer, type Token, type Tokens } from 'marked';
import { createElement, Fragment, type ReactElement, type ReactNode } from 'react';
import { anchorOf, type HandbookLink } from '../../base/handbook-pages.ts';

interface MarkdownProps {
  readonly text: string;
  readonly page: string;
  readonly onOpen: (place: HandbookLink) => void;
}

type Context = Omit<MarkdownProps, 'text'>;

/** Element id of a heading's anchor. */
export const headingId = (anchor: string): string => `handbook-${anchor}`;

/** Page that a link on `page` leads to; null if it leads outside the handbook. */
export function handbookLinkOf(href: string, page: string): HandbookLink | null {
  const found = /^(?:([\w-]+)\.md)?(?:#([\p{L}\p{N}_-]+))?$/u.exec(href);
  if (found === null || href === '') return null;
  return { page: found[1] ?? page, anchor: found[2] ?? null };
}

function Link({ token, context }: { readonly token: Tokens.Link; readonly context: Context }): ReactElement {
  const place = handbookLinkOf(token.href, context.page);
  const inner = inline(token.tokens, context);
  // External links are shown as text instead, so that no click leaves the workbench.
  if (place === null) return <>{token.text === token.href ? inner : [inner, ` (${token.href})`]}</>;
  return (
    <a
      href={`#${place.page}`}
      onClick={(event) => {
        event.preventDefault();
        context.onOpen(place);
      }}
    >
      {inner}
    </a>
  );
}

function inlineOf(token: Token, context: Context): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token.tokens, context)}</strong>;
    case 'em':
      return <em>{inline(token.tokens, context)}</em>;
    case 'codespan':
      return <code>{(token as Tokens.Codespan).text}</code>;
    case 'link':
      return <Link token={token as Tokens.Link} context={context} />;
    case 'br':
      return <br />;
    case 'text':
      return 'tokens' in token && token.tokens !== undefined ? inline(token.tokens, context) : plainTextOf(token);
    default:
      return plainTextOf(token);
  }
}

const plainTextOf = (token: Token): string =>
  'text' in token && typeof token.text === 'string' ? token.text : token.raw;

/** The text never changes its order, so the index serves as key. */
function withIndexKeys(nodes: readonly ReactNode[]): ReactNode {
  return nodes.map((node, at) => createElement(Fragment, { key: at }, node));
}

function inline(tokens: readonly Token[] | undefined, context: Context): ReactNode {
  return withIndexKeys((tokens ?? []).map((token) => inlineOf(token, context)));
}

function Table({ token, context }: { readonly token: Tokens.Table; readonly context: Context }): ReactElement {
  const cell = (tag: 'th' | 'td', { tokens, align }: Tokens.TableCell): ReactNode =>
    createElement(
      tag,
      { ...(align === 'right' ? { className: 'handbook__number' } : {}), ...(tag === 'th' ? { scope: 'col' } : {}) },
      inline(tokens, context),
    );
  return (
    <div className="handbook__scroll">
      <table>
        <thead>
          <tr>{withIndexKeys(token.header.map((one) => cell(one.text === '' ? 'td' : 'th', one)))}</tr>
        </thead>
        <tbody>
          {withIndexKeys(
            token.rows.map((row) => createElement('tr', null, withIndexKeys(row.map((one) => cell('td', one))))),
          )}
        </tbody>
      </table>
    </div>
  );
}

function blockOf(token: Token, context: Context): ReactNode {
  switch (token.type) {
    case 'heading': {
      const { depth, text, tokens } = token as Tokens.Heading;
      return createElement(`h${depth}`, { id: headingId(anchorOf(text)), tabIndex: -1 }, inline(tokens, context));
    }
    case 'paragraph':
      return <p>{inline(token.tokens, context)}</p>;
    case 'list': {
      const { ordered, items } = token as Tokens.List;
      return createElement(
        ordered ? 'ol' : 'ul',
        null,
        withIndexKeys(items.map((item) => createElement('li', null, blocks(item.tokens, context)))),
      );
    }
    case 'code':
      return (
        <pre>
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      );
    case 'blockquote':
      return <blockquote>{blocks(token.tokens ?? [], context)}</blockquote>;
    case 'table':
      return <Table token={token as Tokens.Table} context={context} />;
    case 'hr':
      return <hr />;
    case 'space':
    case 'def':
      return null;
    case 'text':
      return inlineOf(token, context);
    default:
      return <p>{plainTextOf(token)}</p>;
  }
}

function blocks(tokens: readonly Token[], context: Context): ReactNode {
  return withIndexKeys(tokens.map((token) => blockOf(token, context)));
}

export function Markdown({ text, ...context }: MarkdownProps): ReactElement {
  return <>{blocks(lexer(text), context)}</>;
}
