import { describe, expect, test } from '@jest/globals';
import { changesOf, partsOf, phoneNumberIdOf } from '../../../src/providers/messaging-app/inbound.ts';
import { holdable } from '../../../src/providers/messaging-app/json.ts';
import { fc } from '../../support/fast-check.ts';

const raw = (value: object, field = 'messages') => ({
  entryId: '2',
  change: { field, value: { metadata: { phone_number_id: '1' }, ...value } },
});
const text = { id: 'wamid.1', from: '1650', timestamp: '1700000000', type: 'text', text: { body: 'hi' } };

describe('changes', () => {
  test('of every entry, each with its account', () => {
    const changes = changesOf({ entry: [{ id: 5, changes: [{ a: 1 }, { b: 2 }] }, { id: '6', changes: [{}] }, { id: '7' }] });
    expect(changes.map(({ entryId }) => entryId)).toEqual(['5', '5', '6']);
  });

  test('no more of them than asked for, and of an id what an id can be', () => {
    const entry = { id: 'x'.repeat(15_000), changes: Array(99_000).fill(0) };
    const changes = changesOf({ entry: [{ id: '1', changes: [{}] }, entry, entry] }, 1_001);
    expect(changes).toHaveLength(1_001);
    expect(changes[1]).toEqual({ entryId: 'x'.repeat(64), change: {} });
    expect(JSON.stringify(changesOf({ entry: [{ id: `${'x'.repeat(63)}👍`, changes: [0] }] }))).not.toContain('\\ud');
  });

  test.each([null, 5, 'x', [], {}, { entry: {} }])('%j is no body', (body) => {
    expect(() => changesOf(body)).toThrow('no entries');
  });

  test('the number may be text or a number', () => {
    expect(phoneNumberIdOf(raw({}))).toBe('1');
    expect(phoneNumberIdOf(raw({ metadata: { phone_number_id: 106 } }))).toBe('106');
    expect(phoneNumberIdOf(raw({ metadata: null }))).toBeUndefined();
  });
});

describe('changes of a template', () => {
  const known = { message_template_id: 77, message_template_name: 'hello', message_template_language: 'en-US' };
  const read = (field: string, value: object, time?: number) => {
    const [change] = changesOf({ entry: [{ id: '2', time, changes: [{ field, value: { ...known, ...value } }] }] });
    return partsOf(change!)[0];
  };
  const common = { kind: 'template_change', accountId: '2', providerTemplateId: '77', name: 'hello', language: 'en_US' };

  test.each([
    ['message_template_status_update', { event: 'PAUSED', reason: 'NONE' }, { status: 'PAUSED', reason: '' }],
    [
      'message_template_status_update',
      { event: 'REJECTED', reason: 'SCAM', other_info: { title: 'X', description: 'Not so.' } },
      { status: 'REJECTED', reason: 'SCAM: Not so.' },
    ],
    ['message_template_quality_update', { new_quality_score: 'RED' }, { quality: 'red' }],
    ['template_category_update', { previous_category: 'UTILITY', new_category: 'MARKETING' }, { category: 'marketing' }],
  ])('%s %j', (field, value, told) => {
    expect(read(field, value)).toEqual({ ...common, ...told });
  });

  test.each([
    [1_751_247_548, new Date(1_751_247_548_000)],
    [undefined, undefined],
    [-1, undefined],
    [1e300, undefined],
  ])('the time of its entry: %s', (time, at) => {
    expect(read('message_template_quality_update', { new_quality_score: 'RED' }, time)).toEqual({
      ...common,
      quality: 'red',
      ...(at && { at }),
    });
  });
});

describe('messages', () => {
  test('their time is the provider’s, in seconds', () => {
    expect(partsOf(raw({ messages: [text] }))).toMatchObject([
      {
        kind: 'message',
        providerMessageId: 'wamid.1',
        at: new Date(1_700_000_000_000),
        type: 'text',
        content: { body: 'hi' },
        from: { phoneId: '1650' },
      },
    ]);
  });

  test.each([['words'], [7], [null]])('content that is no object is kept as it came: %p', (said) => {
    const message = { ...text, text: said };
    expect(partsOf(raw({ messages: [message] }))).toMatchObject([{ kind: 'message', type: 'text', content: { raw: message } }]);
  });

  test('the person is found among several', () => {
    const contacts = [
      { wa_id: '1', profile: { name: 'Other' } },
      { wa_id: '1650', user_id: 'US.9', profile: { name: 'Right', username: '@right' } },
    ];
    expect(partsOf(raw({ contacts, messages: [text] }))).toMatchObject([
      { from: { phoneId: '1650', userId: 'US.9', name: 'Right', username: '@right' } },
    ]);
    expect(partsOf(raw({ contacts: contacts.slice(0, 1).concat(contacts[0]!), messages: [text] }))[0]).toMatchObject({
      from: { phoneId: '1650' },
    });
  });

  test.each([
    ['no id', { ...text, id: undefined }],
    ['an empty id', { ...text, id: '' }],
    ['no time', { ...text, timestamp: undefined }],
    ['a time in words', { ...text, timestamp: 'now' }],
    ['a time past all calendars', { ...text, timestamp: 1e15 }],
    ['no type', { ...text, type: undefined }],
    ['nobody it is from', { ...text, from: undefined }],
    ['no object', 5],
  ])('%s: broken, with what it was read from', (_what, message) => {
    const [part] = partsOf(raw({ messages: [message] }));
    expect(part).toMatchObject({ kind: 'broken', raw: message });
  });
});

describe('what is no text where text belongs', () => {
  const trap = { toString: '' };

  test('is none, and throws at nobody', () => {
    expect(changesOf({ entry: [{ id: trap, changes: [{}] }] })).toEqual([{ entryId: '', change: {} }]);
    expect(partsOf({ entryId: '1', change: { field: trap } })).toEqual([{ kind: 'ignored', what: '' }]);
    expect(phoneNumberIdOf(raw({ metadata: { phone_number_id: trap } }))).toBeUndefined();
  });

  test.each([null, {}, trap, true, ''])('%j is nobody a message is from', (from) => {
    expect(partsOf(raw({ messages: [{ ...text, from }] }))).toMatchObject([{ kind: 'broken' }]);
    expect(partsOf(raw({ messages: [{ ...text, from, from_user_id: 'US.1' }] }))).toMatchObject([{ from: { userId: 'US.1' } }]);
  });

  test('is no reason of a failure', () => {
    const status = { id: '1', status: 'failed', timestamp: '1', errors: [{ code: trap, title: trap, message: null }] };
    const wanted = { code: 'unknown', message: 'The provider could not deliver it' };
    expect(partsOf(raw({ statuses: [status] }))).toMatchObject([{ error: wanted }]);
  });
});

test('whatever comes, reading it does not throw, and every part has a kind', () => {
  const json = fc.jsonValue({ maxDepth: 5 });
  const change = fc.record({
    field: fc.oneof(fc.constantFrom('messages', 'smb_message_echoes', 'message_template_status_update', 'flows'), json),
    value: fc.oneof(
      json,
      fc.record({
        metadata: fc.oneof(fc.constant({ phone_number_id: '1' }), json),
        messages: fc.oneof(fc.array(fc.oneof(json, fc.constant(text))), json),
        statuses: fc.oneof(fc.array(json), json),
        contacts: json,
      }),
    ),
  });
  fc.assert(
    fc.property(change, (one) => {
      for (const { kind } of partsOf({ entryId: '1', change: one as Record<string, unknown> }))
        expect(['message', 'status', 'template_change', 'identity_change', 'ignored', 'broken']).toContain(kind);
    }),
    { numRuns: 500 },
  );
});

test('holdable text has neither NUL nor half a character, and is else unchanged', () => {
  expect(holdable('a\u0000b\ud83d \ud83d\ude00')).toBe('a\ufffdb\ufffd \ud83d\ude00');
});

test('a person is found among very many, and only so many parts are read as are asked for', () => {
  let reads = 0;
  const contacts = Array.from({ length: 20_000 }, (_, index) => ({
    get wa_id() {
      reads += 1;
      return String(index);
    },
    profile: { name: `P${index}` },
  }));
  const messages = Array.from({ length: 3_000 }, (_, index) => ({ ...text, id: `m${index}`, from: String(19_999 - index) }));
  const parts = partsOf(raw({ contacts, messages }), 2_000);
  expect(reads).toBeGreaterThanOrEqual(contacts.length);
  // Each message does not search through all contacts.
  expect(reads).toBeLessThanOrEqual(5 * contacts.length);
  expect(parts).toHaveLength(2_000);
  expect(parts[1_999]).toMatchObject({ providerMessageId: 'm1999', from: { phoneId: '18000', name: 'P18000' } });
  expect(partsOf(raw({ messages: messages.slice(0, 3), statuses: [{}, {}, {}] }), 5)).toHaveLength(5);
});
