import { beforeAll, expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';

const app = useApp({});
const lookUp = (...identifiers: object[]) => app.call('contacts.lookup', { body: { identifiers } });
let id: string;
let other: string;

beforeAll(async () => {
  const create = async (body: object) => (await app.call('contacts.create', { body })).body.data.id;
  id = await create({ phone_number: '+16505551234', email: 'ada@example.com', external_source: 'shop', external_id: 'C-1' });
  other = await create({ phone_number: '+16505551235' });
});

test('each kind of identifier finds the contact, and all of them together', async () => {
  const identifiers = [
    { type: 'contact_id', value: id },
    { type: 'phone', value: '1 (650) 555-1234' },
    { type: 'messaging_app', value: '16505551234' },
    { type: 'email', value: 'ADA@example.com' },
    { type: 'external_id', source: 'shop', value: 'C-1' },
  ];
  for (const identifier of identifiers)
    expect((await lookUp(identifier)).body.data).toMatchObject({ id, email: 'ada@example.com' });
  expect((await lookUp(...identifiers)).body.data.id).toBe(id);
});

test('what nobody has is passed over, and alone it is a 404', async () => {
  const nobody = { type: 'external_id', source: 'elsewhere', value: 'C-1' };
  expect((await lookUp(nobody, { type: 'contact_id', value: id })).body.data.id).toBe(id);
  const { status, body } = await lookUp(nobody);
  expect([status, body]).toEqual([404, { error: 'Contact not found', code: 'not_found' }]);
});

test('two contacts: 409', async () => {
  const { status, body } = await lookUp({ type: 'contact_id', value: id }, { type: 'contact_id', value: other });
  expect([status, body.code]).toEqual([409, 'conflict']);
});

test.each([
  [{ type: 'external_id', value: 'C-1' }],
  [{ type: 'contact_id', value: 'C-1' }],
  [{ type: 'fax', value: '1' }],
  [{ type: 'phone', value: '' }],
])('%j is not an identifier', async (identifier) => {
  expect((await lookUp(identifier)).status).toBe(422);
});
