import { expect, test } from '@jest/globals';
import { useApp } from '../support/app.ts';

const app = useApp();
const headers = { 'content-type': 'application/json' };

/** Where free JSON is taken: the method, the path, and a body with the number in it. */
const doors: [method: string, path: string, body: (number: string) => string, field: string][] = [
  ['POST', '/v1/contacts', (n) => `{"email":"a@example.com","custom_fields":{"a":[1,${n}]}}`, 'custom_fields.a[1]'],
  ['POST', '/v1/crm/deals', (n) => `{"title":"A","metadata":{"a":{"b":${n}}}}`, 'metadata.a.b'],
  [
    'POST',
    '/v1/automation/events',
    (n) => `{"name":"a","contact_id":"0191d3a0-0000-7000-8000-000000000002","data":{"a":${n}}}`,
    'data.a',
  ],
  [
    'POST',
    '/v1/automation/rules',
    (n) => `{"name":"a","trigger":{"type":"manual"},"conditions":{"field":"vars.a","value":${n}}}`,
    'conditions.value',
  ],
];

test.each(doors)('%s %s: a number that cannot be kept is a 422 that names its field', async (method, path, body, field) => {
  for (const number of ['1e400', '-1e400', '123456789012345678901234567890', '0.12345678901234567890123']) {
    const reply = await app.raw(method, path, { body: body(number), headers });
    expect(reply.status).toBe(422);
    expect(reply.body.error.details).toEqual([expect.objectContaining({ field, location: 'body', code: 'number.unsafe' })]);
  }
});

test('what JavaScript holds is stored as it is', async () => {
  const numbers = '[0.1,1e21,-12.50,9007199254740991,5e-324]';
  const body = `{"email":"kept@example.com","custom_fields":{"a":${numbers}}}`;
  const { status, body: stored } = await app.raw('POST', '/v1/contacts', { body, headers });
  expect(status).toBeLessThan(300);
  const read = await app.call('contacts.get', { params: { contactID: stored.data.id } });
  expect(read.body.data.custom_fields.a).toEqual([0.1, 1e21, -12.5, 9007199254740991, 5e-324]);
});
