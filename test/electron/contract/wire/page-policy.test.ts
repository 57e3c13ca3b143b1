import { expect, test } from 'vitest';
import { DOCUMENT_POLICY, withDocumentPolicy } from '../../../../electron/contract/wire/page-policy.ts';

test('a document that is printed carries its policy before everything else in it', () => {
  const html = withDocumentPolicy(
    '<!doctype html>\n<html lang="en"><head><script src="https://x"></script></head></html>',
  );
  expect(html.indexOf('<meta http-equiv="Content-Security-Policy"')).toBe('<!doctype html>'.length);
  expect(withDocumentPolicy('<p>')).toMatch(/^<meta http-equiv/);
  expect(DOCUMENT_POLICY).toMatch(/^default-src 'none'/);
  expect(DOCUMENT_POLICY).not.toMatch(/script-src|connect-src|https?:/);
});
