import { describe, expect, test } from '@jest/globals';
import type { AppError } from '../../../src/platform/errors.ts';
import { isAllowedLink } from '../../../src/tasks/rich-text/links.ts';
import { readRichText } from '../../../src/tasks/rich-text/rich-text.ts';

const text = (words: string, ...marks: object[]) => ({ type: 'text', text: words, ...(marks.length > 0 && { marks }) });
const p = (...content: object[]) => ({ type: 'paragraph', ...(content.length > 0 && { content }) });
const doc = (...content: object[]) => ({ type: 'doc', content });
const read = (json: unknown) => readRichText({ type: 'prosemirror', json });
const faultOf = (json: unknown) =>
  read(json).then(
    () => 'taken',
    (error: AppError) => error.details?.[0]?.field,
  );
const linked = (href: unknown, more: object = {}) => doc(p(text('here', { type: 'link', attrs: { href, ...more } })));

test('a document with every node and mark, as Tiptap writes it', async () => {
  const item = (...content: object[]) => ({ type: 'listItem', content });
  const json = doc(
    { type: 'heading', attrs: { level: 2 }, content: [text('Plan')] },
    p(
      text('Bold ', { type: 'bold' }),
      text('struck', { type: 'strike' }, { type: 'italic' }),
      { type: 'hardBreak' },
      text(
        'link',
        { type: 'code' },
        { type: 'link', attrs: { href: 'https://example.com', target: '_blank', rel: 'noopener', class: null } },
      ),
      { type: 'mention', attrs: { id: 'u-1', label: 'Ada', mentionSuggestionChar: '@' } },
    ),
    {
      type: 'bulletList',
      content: [
        item(p(text('one'))),
        item(p(text('two')), { type: 'orderedList', attrs: { start: 3, type: null }, content: [item(p(text('inner')))] }),
      ],
    },
    { type: 'taskList', content: [{ type: 'taskItem', attrs: { checked: true }, content: [p(text('done'))] }] },
    { type: 'blockquote', content: [p(text('quote'))] },
    { type: 'codeBlock', attrs: { language: 'ts' }, content: [text('const a = 1;')] },
    p(),
  );
  const { stored, words } = await read(json);
  expect(stored).toEqual({ type: 'prosemirror', json });
  expect(words).toBe('Plan\nBold struck\nlink@Ada\none\ntwo\ninner\ndone\nquote\nconst a = 1;\n');
});

const deep = (levels: number): object => (levels === 0 ? p(text('x')) : { type: 'blockquote', content: [deep(levels - 1)] });

describe('a fault is named by its path', () => {
  test.each<[string, unknown, string]>([
    ['no object', 'text', ''],
    ['no document', p(text('a')), '.type'],
    ['an empty document', doc(), '.content'],
    ['an unknown node', doc(p(text('a')), { type: 'table' }), '.content[1].type'],
    ['a node named by a property of objects', doc({ type: '__proto__' }), '.content[0].type'],
    ['a node named constructor', doc({ type: 'constructor' }), '.content[0].type'],
    ['an image', doc({ type: 'image', attrs: { src: 'https://example.com/a.png' } }), '.content[0].type'],
    ['an unknown mark', doc(p(text('a', { type: 'underline' }))), '.content[0].content[0].marks[0].type'],
    ['a mark twice', doc(p(text('a', { type: 'bold' }, { type: 'bold' }))), '.content[0].content[0].marks[1]'],
    ['a mark in code', doc({ type: 'codeBlock', content: [text('a', { type: 'bold' })] }), '.content[0].content[0].marks[0]'],
    ['an unknown attribute', doc({ type: 'paragraph', attrs: { onclick: 'x' } }), '.content[0].attrs.onclick'],
    ['an attribute of the wrong type', doc({ type: 'heading', attrs: { level: '1' } }), '.content[0].attrs.level'],
    ['a missing attribute', doc({ type: 'heading' }), '.content[0].attrs.level'],
    ['a heading of level 7', doc({ type: 'heading', attrs: { level: 7 } }), '.content[0].attrs.level'],
    ['an unknown property of a node', doc({ type: 'paragraph', html: '<b>' }), '.content[0].html'],
    ['an unknown property of a mark', doc(p(text('a', { type: 'bold', style: '' }))), '.content[0].content[0].marks[0].style'],
    ['an empty text', doc(p(text(''))), '.content[0].content[0].text'],
    ['a text that is a number', doc(p({ type: 'text', text: 7 })), '.content[0].content[0].text'],
    ['a text in a paragraph itself', doc({ type: 'paragraph', text: 'a' }), '.content[0].text'],
    ['a text outside of a block', doc(text('a')), '.content[0]'],
    ['a block in a paragraph', doc(p(p())), '.content[0].content[0]'],
    ['a list without an item', doc({ type: 'bulletList' }), '.content[0].content'],
    ['an item without a list', doc({ type: 'listItem', content: [p()] }), '.content[0]'],
    ['content that is no list', doc({ type: 'paragraph', content: {} }), '.content[0].content'],
    ['a child that is null', { type: 'doc', content: [null] }, '.content[0]'],
    ['33 levels', doc(deep(30)), `${'.content[0]'.repeat(32)}`],
    ['a link without an address', linked(undefined), '.content[0].content[0].marks[0].attrs.href'],
    ['a link that is a number', linked(7), '.content[0].content[0].marks[0].attrs.href'],
    [
      'a link with an attribute of its own',
      linked('https://example.com', { onclick: 'x' }),
      '.content[0].content[0].marks[0].attrs.onclick',
    ],
  ])('%s', async (_, json, path) => {
    expect(await faultOf(json)).toBe(`description_rich.json${path}`);
  });

  test('32 levels are taken', async () => {
    expect(await faultOf(doc(deep(29)))).toBe('taken');
  });

  test('64 kB are taken, one byte more is not', async () => {
    const empty = JSON.stringify(doc(p(text('')))).length;
    const sized = (bytes: number) => doc(p(text('x'.repeat(bytes - empty))));
    expect(await faultOf(sized(65_536))).toBe('taken');
    expect(await faultOf(sized(65_537))).toBe('description_rich.json');
  });
});

const scheme = 'javascript';
describe('links', () => {
  test.each([
    'https://example.com/a?b=c#d',
    'http://localhost:3000',
    'HTTPS://EXAMPLE.COM',
    'mailto:ada@example.com',
    'tel:+16505551234',
  ])('%s is taken', (href) => expect(isAllowedLink(href)).toBe(true));

  test.each([
    `${scheme}:alert(1)`,
    `${scheme.toUpperCase()}:alert(1)`,
    `java\tscript:alert(1)`,
    `java\nscript:alert(1)`,
    ` ${scheme}:alert(1)`,
    `\u0001${scheme}:alert(1)`,
    `\u00a0${scheme}:alert(1)`,
    `java\u200bscript:alert(1)`,
    `java\u00adscript:alert(1)`,
    'https\t://example.com',
    'ht\ttps://example.com',
    'https:\n//example.com',
    'data:text/html,<script>',
    'vbscript:x',
    'blob:https://example.com',
    'file:///etc/passwd',
    'ftp://example.com',
    '//example.com',
    '/relative',
    '#top',
    'example.com',
    'https:',
    'https://',
    `https:${scheme}:alert(1)`,
    `view-source:${scheme}:alert(1)`,
    '&#106;avascript:alert(1)',
    'java%73cript:alert(1)',
    '',
    `https://example.com/${'x'.repeat(2_048)}`,
  ])('%j is not', (href) => expect(isAllowedLink(href)).toBe(false));
});

describe('custom', () => {
  const custom = (json: unknown, plain_text?: string) => readRichText({ type: 'custom', json, plain_text });

  test('any JSON, with the words that the client gives', async () => {
    for (const json of [null, 7, 'x', [], { blocks: [{ id: 1, html: '<b>' }] }])
      expect(await custom(json, 'words')).toEqual({ stored: { type: 'custom', json }, words: 'words' });
  });

  test('what the database would spell out, and what is too deep, is refused', async () => {
    let nested: unknown = 1;
    for (let level = 0; level < 33; level += 1) nested = [nested];
    for (const json of [{ a: [1e300] }, { a: 1e-9 }, { a: Number.POSITIVE_INFINITY }, nested])
      await expect(custom(json, '')).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
