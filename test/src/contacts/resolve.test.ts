import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  addIdentities,
  findContact,
  identitiesOf,
  identityTaken,
  type Person,
  resolveContact,
} from '../../../src/contacts/resolve.ts';
import { createOrganization } from '../../../src/organizations/organizations.ts';
import { contact } from '../../support/factories/contact.ts';
import { type House, openHouse } from '../../support/house.ts';
import { testSecrets } from '../../support/secrets.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const resolve = (person: Person, organizationId = house.organizationId) =>
  house.ledger.transact({ retryOn: [identityTaken] }, (tx) => resolveContact(tx, testSecrets, organizationId, person));
const identitiesIn = (id: string) =>
  house.sql<{ type: string; value: string }>(
    'select type, value from contact_identities where contact_id = $1 order by type, value',
    [id],
  );
let phones = 1_000;
const newPhone = () => {
  phones += 1;
  return `+1650777${phones}`;
};

test('a phone and the id of it are two spellings of one address, each named once', () => {
  expect(identitiesOf({ phone: '+1650', phoneId: '1650', userId: 'US.1' })).toEqual([
    { type: 'phone', value: '+1650' },
    { type: 'messaging_app', value: '1650' },
    { type: 'messaging_app_id', value: 'US.1' },
  ]);
  expect(identitiesOf({})).toEqual([]);
});

describe('resolve', () => {
  test('finds by any address and adds what is new', async () => {
    const phone = newPhone();
    const { id } = await contact(house.em(), house.organizationId, { phone });
    expect(await resolve({ phoneId: phone.slice(1), userId: 'US.new' })).toBe(id);
    expect(await resolve({ userId: 'US.new' })).toBe(id);
    expect((await identitiesIn(id)).map(({ type }) => type)).toEqual(['messaging_app', 'messaging_app_id', 'phone']);
  });

  test('an address of somebody else is not taken away from him', async () => {
    const [first, second] = [newPhone(), newPhone()];
    const { id } = await contact(house.em(), house.organizationId, { phone: first, userId: 'US.first' });
    const { id: other } = await contact(house.em(), house.organizationId, { phone: second });
    expect(await resolve({ phone: second, userId: 'US.first' })).toBe(id);
    expect((await identitiesIn(other)).map(({ value }) => value)).toContain(second);
    await house.ledger.transact({}, (tx) => addIdentities(tx, testSecrets, house.organizationId, other, { userId: 'US.first' }));
    expect(await findContact(house.em(), house.organizationId, { userId: 'US.first' })).toBe(id);
  });

  test('makes one contact when all ask at once, and tells of it once', async () => {
    const person = { phone: newPhone(), name: 'Ann' };
    const ids = await Promise.all(Array.from({ length: 10 }, () => resolve(person)));
    expect(new Set(ids).size).toBe(1);
    const events = await house.sql('select type from events where subject_id = $1 order by seq', [ids[0]]);
    expect(events.map(({ type }) => type)).toEqual(['contact.created', 'contact.updated']);
  });

  test('the same phone in two organizations is two contacts', async () => {
    const person = { phone: newPhone() };
    const other = await createOrganization(house.em(), 'Other');
    expect(await resolve(person)).not.toBe(await resolve(person, other));
  });
});
