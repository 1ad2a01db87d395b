import { expect, test } from '@jest/globals';
import { AppError } from '../../../src/platform/errors.ts';
import { readRichText } from '../../../src/tasks/rich-text/rich-text.ts';
import { fc, numRuns } from '../../support/fast-check.ts';

type Json = Record<string, unknown>;

const words = fc.stringMatching(/^[\p{L}\p{N} .,:<>&;/()-]{1,20}$/u);
const goodLink = fc.oneof(
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  // As a link has them: an address may begin with two slashes.
  fc.emailAddress().map((address) => `mailto:${address.split('@').map(encodeURIComponent).join('@')}`),
  fc.stringMatching(/^\d{5,12}$/).map((digits) => `tel:+${digits}`),
);
const mark = fc.oneof(
  fc.constantFrom('bold', 'italic', 'strike', 'code').map((type): Json => ({ type })),
  goodLink.map((href): Json => ({ type: 'link', attrs: { href } })),
);
const marks = fc.uniqueArray(mark, { selector: ({ type }) => type, maxLength: 4 });
const text = fc.record({ type: fc.constant('text'), text: words, marks });
const inline = fc.oneof(
  { weight: 6, arbitrary: text },
  fc.constant<Json>({ type: 'hardBreak' }),
  words.map((label): Json => ({ type: 'mention', attrs: { id: 'u', label } })),
);
const lineOf = (type: string, attrs?: fc.Arbitrary<Json>) =>
  fc.record({ type: fc.constant(type), content: fc.array(inline, { maxLength: 4 }), ...(attrs && { attrs }) });

const { block } = fc.letrec<{ block: Json }>((tie) => {
  const blocks = fc.array(tie('block'), { minLength: 1, maxLength: 3 });
  const paragraph = lineOf('paragraph');
  const item = (type: string, attrs: fc.Arbitrary<Json>) =>
    fc
      .tuple(paragraph, fc.array(tie('block'), { maxLength: 2 }), attrs)
      .map(([first, rest, given]): Json => ({ type, attrs: given, content: [first, ...rest] }));
  const items = (type: string, of: fc.Arbitrary<Json>) =>
    fc.array(of, { minLength: 1, maxLength: 3 }).map((content): Json => ({ type, content }));
  return {
    block: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'block' },
      paragraph,
      lineOf('heading', fc.record({ level: fc.integer({ min: 1, max: 6 }) })),
      fc.record({
        type: fc.constant('codeBlock'),
        content: fc.array(
          words.map((one) => ({ type: 'text', text: one })),
          { maxLength: 2 },
        ),
      }),
      items('bulletList', item('listItem', fc.constant({}))),
      items('orderedList', item('listItem', fc.constant({}))),
      items('taskList', item('taskItem', fc.record({ checked: fc.boolean() }))),
      blocks.map((content): Json => ({ type: 'blockquote', content })),
    ),
  };
});
const document = fc.array(block, { minLength: 1, maxLength: 4 }).map((content): Json => ({ type: 'doc', content }));

const read = (json: unknown) => readRichText({ type: 'prosemirror', json });
/** Undefined: refused, as a fault of the client's. */
const readOrRefused = (json: unknown) =>
  read(json).catch((error) => {
    if (error instanceof AppError && error.status === 422) return undefined;
    throw error;
  });

/** Every object in a JSON value. */
function* objectsIn(value: unknown): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Json;
  for (const child of Object.values(value)) yield* objectsIn(child);
}
/** A mention without a label is seen by its id. */
const labelOf = ({ label, id }: Json) => String(label ?? id);
const seen = (json: unknown) =>
  [...objectsIn(json)].flatMap(({ type, text: own, attrs }) =>
    type === 'text' ? [String(own)] : type === 'mention' ? [labelOf(attrs as Json)] : [],
  );

const nodesOf =
  'doc paragraph heading bulletList orderedList listItem taskList taskItem blockquote codeBlock hardBreak mention text';
const known = new Set([...nodesOf.split(' '), 'bold', 'italic', 'strike', 'code', 'link']);
const protocols = ['http:', 'https:', 'mailto:', 'tel:'];
/** As a browser reads an address: it drops what is before the scheme, and tabs and line breaks anywhere. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a browser drops
const inBrowser = (href: string) => href.replace(/^[\u0000-\u0020]+/, '').replace(/[\t\n\r]/g, '');

function expectHarmless(json: unknown) {
  for (const one of objectsIn(json)) {
    if (typeof one.type === 'string') expect(known.has(one.type)).toBe(true);
    if (typeof one.href !== 'string') continue;
    expect(protocols).toContain(new URL(inBrowser(one.href)).protocol);
    expect(inBrowser(one.href)).toBe(one.href);
  }
}

test('a valid document reads back equal, and its words are all in the plain text', async () => {
  await fc.assert(
    fc.asyncProperty(document, async (json) => {
      const before = JSON.stringify(json);
      const result = await read(json);
      expect(JSON.stringify(result.stored.json)).toBe(before);
      for (const word of seen(json)) expect(result.words).toContain(word);
      expectHarmless(json);
    }),
    { numRuns: numRuns({ default: 10, deep: 300 }) },
  );
});

const letters = 'javascript';
/** The scheme in other letters, with what a browser does not see between and before them. */
const spelled = fc
  .tuple(
    fc.array(fc.tuple(fc.boolean(), fc.constantFrom('', '', '', '\t', '\n', '\r', '\u0000', '\u0001', ' ', '\u200b', '\u00ad')), {
      minLength: letters.length,
      maxLength: letters.length,
    }),
    fc.constantFrom('', ' ', '\t', '\u0001', '\u00a0', 'https:', 'tel:\n', 'mailto:\t'),
    fc.constantFrom(':', '\t:', ':\n', '&colon;', '%3A'),
  )
  .map(([each, before, colon]) => {
    const name = each.map(([isUpper, more], at) => `${isUpper ? letters[at]!.toUpperCase() : letters[at]}${more}`).join('');
    return `${before}${name}${colon}alert(1)`;
  });

test('no spelling of a script survives in a link', async () => {
  await fc.assert(
    fc.asyncProperty(spelled, async (href) => {
      const json = {
        type: 'doc',
        content: [{ type: 'paragraph', content: [{ type: 'text', text: 'x', marks: [{ type: 'link', attrs: { href } }] }] }],
      };
      if (await readOrRefused(json)) expectHarmless(json);
    }),
    { numRuns: numRuns({ default: 30, deep: 1_000 }) },
  );
});

const junk = fc.oneof(
  fc.constantFrom<unknown>(null, 0, '', [], {}, true, 'doc', { type: 'image' }, { type: 'script', text: 'x' }, { type: 'text' }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** One value somewhere in it is another. */
const broken = fc
  .tuple(document, fc.nat(), fc.nat(), junk, fc.constantFrom('type', 'attrs', 'content', 'marks', 'text', 'html'))
  .map(([json, place, index, value, name]) => {
    const copy = structuredClone(json);
    const all = [...objectsIn(copy)];
    const one = all[place % all.length]!;
    const keys = [...Object.keys(one), name];
    one[keys[index % keys.length]!] = value;
    return copy;
  });

test('a broken document is refused, or is a document: never a fault of our own', async () => {
  await fc.assert(
    fc.asyncProperty(broken, async (json) => {
      const result = await readOrRefused(json);
      if (!result) return;
      expectHarmless(json);
      for (const word of seen(json)) expect(result.words).toContain(word);
    }),
    { numRuns: numRuns({ default: 30, deep: 1_000 }) },
  );
});

test('any JSON at all is refused, or is a document', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (json) => void (await readOrRefused(json))),
    { numRuns: numRuns({ default: 20, deep: 500 }) },
  );
});
