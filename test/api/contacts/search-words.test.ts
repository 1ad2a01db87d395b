import { beforeAll, expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { bodyFor, inboundFrom } from '../../support/provider-body.ts';

const app = useApp({ workers: true });
const people: [name: string, phone: string][] = [
  ['山田太郎', '+819012345678'],
  ['김철수', '+821012349999'],
  ['สมชาย ใจดี', '+66812340000'],
  ['Max Müller', '+4915123456789'],
  ['4321 Street', '+16505550199'],
];

beforeAll(async () => {
  for (const [name, phone_number] of people)
    expect((await app.call('contacts.create', { body: { name, phone_number } })).status).toBe(201);
});

test.each([
  ['the second half of a name without spaces', '太郎', ['山田太郎']],
  ['one character of it', '田', ['山田太郎']],
  ['the end of a Korean name', '철수', ['김철수']],
  ['the end of a Thai word', 'ดี', ['สมชาย ใจดี']],
  ['the end of a phone', '5678', ['山田太郎']],
  ['the end of another phone', '456789', ['Max Müller']],
  ['a pasted phone', '\u202a+49 1512 345\u202c', ['Max Müller']],
  ['digits of a name', '4321', ['4321 Street']],
  ['the middle of a phone', '12345', []],
])('%s', async (_what, search, names) => {
  const { body } = await app.call('contacts.list', { query: { search } });
  expect(body.data.map(({ name }: { name: string }) => name)).toEqual(names);
});

test('a user name that the provider said finds its person, and a new one does in its place', async () => {
  const channel = await app.connect();
  const phone = app.phone();
  const found = async (search: string) => {
    const { body } = await app.call('contacts.list', { query: { search } });
    return body.data.map(({ phone_number }: { phone_number: string }) => phone_number);
  };
  for (const username of ['Ada.Lovelace', 'Ada.Lovelace', 'ada.1815']) {
    const { messages } = inboundFrom(phone);
    const contacts = [{ profile: { name: 'Somebody', username }, wa_id: phone }];
    expect((await app.webhook(bodyFor(channel, { contacts, messages }))).status).toBe(200);
    await app.idle();
    expect(await found(`@${username.slice(0, 6)}`)).toEqual([`+${phone}`]);
  }
  expect(await found('ada.1815')).toEqual([`+${phone}`]);
  expect(await found('ada.lovelace')).toEqual([]);
});
