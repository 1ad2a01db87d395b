import { describe, expect, test } from '@jest/globals';
import { ProviderFailed, ProviderUnknown } from '../../../src/providers/errors.ts';
import type { GraphClient } from '../../../src/providers/messaging-app/client.ts';
import { graphMessagingApp } from '../../../src/providers/messaging-app/graph.ts';

const account = { phoneNumberId: '1', accountId: '2', accessToken: 't' };
const message = { callbackData: 'x', toPhone: '1', type: 'text', content: { body: 'x' } };

/** A provider that answers 200 with this, whatever it is asked. */
function answering(reply: unknown) {
  const answer = async () => reply;
  const download = async () => {
    throw new Error('No file is asked for');
  };
  const client: GraphClient = {
    get: answer,
    post: answer,
    delete: answer,
    upload: answer,
    document: download,
    download,
    close: () => {},
  };
  return graphMessagingApp(client);
}
const thrown = (work: Promise<unknown>) =>
  work.then(
    (value) => ({ value }),
    (error: unknown) => error,
  );

const odd: [string, unknown][] = [
  ['null', null],
  ['a list', []],
  ['a list of nothing', [null]],
  ['a word', 'OK'],
  ['a number', 7],
  ['an object of nothing', {}],
  ['lists that are none', { data: {}, messages: {}, contacts: 'x' }],
  ['lists of null', { data: [null], messages: [null], contacts: [null], paging: null }],
  ['an empty list of messages, a list in a list', { data: [[]], messages: [], contacts: [] }],
  ['ids that are none', { data: [{ id: {}, name: 1, language: null }], messages: [{ id: 5 }] }],
];

describe('an answer of 200 that says nothing we can read', () => {
  test.each(odd)('%s: a send is unknown, a question is asked again', async (_what, reply) => {
    const app = answering(reply);
    expect(await thrown(app.send(account, message))).toBeInstanceOf(ProviderUnknown);
    expect(await thrown(app.readNumber(account))).toBeInstanceOf(ProviderFailed);
    expect(await thrown(app.listTemplates(account))).toBeInstanceOf(ProviderFailed);
    expect(await thrown(app.ownsNumber(account))).toBeInstanceOf(ProviderFailed);
  });

  test('one template we cannot read spoils the list: left out it would count as deleted', async () => {
    const good = { id: '1', name: 'n', language: 'en', status: 'APPROVED', category: 'UTILITY' };
    expect(await answering({ data: [good] }).listTemplates(account)).toHaveLength(1);
    expect(await thrown(answering({ data: [good, { id: '2' }] }).listTemplates(account))).toBeInstanceOf(ProviderFailed);
  });
});

describe('whether a number is of an account', () => {
  /** A provider with these pages of numbers, whose cursor is the page's number. */
  function withPages(pages: string[][]) {
    const asked: [string, object | undefined][] = [];
    const get: GraphClient['get'] = async (path, _token, search) => {
      asked.push([path, search]);
      const at = Number(search?.after ?? 0);
      const next = at + 1 < pages.length ? { next: 'https://provider.example/next' } : {};
      return { data: pages[at]!.map((id) => ({ id })), paging: { cursors: { before: 'x', after: String(at + 1) }, ...next } };
    };
    return { app: graphMessagingApp({ get } as GraphClient), asked };
  }

  test('every page is read until it is found, and none after', async () => {
    const { app, asked } = withPages([['7', '8'], ['9', '1'], ['5']]);
    expect(await app.ownsNumber(account)).toBe(true);
    expect(asked).toEqual([
      ['2/phone_numbers', { fields: 'id', limit: '100' }],
      ['2/phone_numbers', { fields: 'id', limit: '100', after: '1' }],
    ]);
  });

  test('of none it is not one, nor of others that look like it', async () => {
    expect(await withPages([[]]).app.ownsNumber(account)).toBe(false);
    expect(await withPages([['11', '10', '01']]).app.ownsNumber(account)).toBe(false);
    expect(await answering({ data: [{ id: 1 }] }).ownsNumber(account)).toBe(true);
  });

  test('pages without end are not followed for ever: asked again later', async () => {
    const { app, asked } = withPages(Array.from({ length: 500 }, () => ['7']));
    expect(await thrown(app.ownsNumber(account))).toBeInstanceOf(ProviderFailed);
    expect(asked).toHaveLength(10);
  });
});

test('a taken message is known by its id, whatever else is odd', async () => {
  for (const contacts of [undefined, null, [], [null], 'x', [{ wa_id: 5 }]])
    expect(await answering({ messages: [{ id: 'wamid.1' }], contacts }).send(account, message)).toEqual({
      providerMessageId: 'wamid.1',
    });
  const contacts = [{ input: '+1', wa_id: '1', user_id: 'US.1' }];
  expect(await answering({ messages: [{ id: 'wamid.1' }], contacts }).send(account, message)).toEqual({
    providerMessageId: 'wamid.1',
    phoneId: '1',
    userId: 'US.1',
  });
});
