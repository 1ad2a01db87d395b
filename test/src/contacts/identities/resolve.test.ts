import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { ContactIdentity } from '../../../../src/contacts/contact.entity.ts';
import { contactLock } from '../../../../src/contacts/events.ts';
import {
  addIdentities,
  findContact,
  identitiesOf,
  identityTaken,
  type Person,
  resolveContact,
} from '../../../../src/contacts/identities/resolve.ts';
import { ContactDuplicate } from '../../../../src/contacts/merging/merge.entity.ts';
import { upsertContact, upsertOptions } from '../../../../src/contacts/upsert.ts';
import { createOrganization } from '../../../../src/organizations/organizations.ts';
import { ownRows } from '../../../../src/platform/database/own.ts';
import { contact } from '../../../support/factories/contact.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { eventsOf } from '../../../support/rules/events.ts';
import { testSecrets } from '../../../support/secrets.ts';
import { waitFor } from '../../../support/wait-for.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const resolve = (person: Person, organizationId = house.organizationId) =>
  house.ledger.transact({ retryOn: [identityTaken] }, (tx) => resolveContact(tx.of(organizationId), testSecrets, person));
const identitiesIn = async (id: string) => {
  const found = await house.em().find(ContactIdentity, { contact_id: id }, { orderBy: { type: 'asc', value: 'asc' } });
  return found.map(({ type, value }) => ({ type, value }));
};
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

  test('an address of somebody else is not taken away from them', async () => {
    const [first, second] = [newPhone(), newPhone()];
    const { id } = await contact(house.em(), house.organizationId, { phone: first, userId: 'US.first' });
    const { id: other } = await contact(house.em(), house.organizationId, { phone: second });
    expect(await resolve({ phone: second, userId: 'US.first' })).toBe(id);
    expect((await identitiesIn(other)).map(({ value }) => value)).toContain(second);
    await house.ledger.transact({}, (tx) =>
      addIdentities(tx.of(house.organizationId), testSecrets, other, { userId: 'US.first' }),
    );
    expect(await findContact(ownRows(house.em(), house.organizationId), { userId: 'US.first' })).toBe(id);
  });

  test('makes one contact when all ask at once, and tells of it once', async () => {
    const person = { phone: newPhone(), name: 'Ann' };
    const ids = await Promise.all(Array.from({ length: 10 }, () => resolve(person)));
    expect(new Set(ids).size).toBe(1);
    const events = await eventsOf(house.em(), ids[0]!);
    expect(events.map(({ type }) => type)).toEqual(['contact.created', 'contact.updated']);
  });

  test('the same phone in two organizations is two contacts', async () => {
    const person = { phone: newPhone() };
    const other = await createOrganization(house.em(), 'Other');
    expect(await resolve(person)).not.toBe(await resolve(person, other));
  });
});

describe('with another transaction in the way', () => {
  /** One of somebody else's, that is never waited for longer than this. */
  async function other<Result>(work: (query: (text: string, params: unknown[]) => Promise<unknown>) => Promise<Result>) {
    const client = new pg.Client({ connectionString: house.url });
    await client.connect();
    await client.query(`set lock_timeout = '500ms'`);
    await client.query('begin');
    try {
      return await work((text, params) => client.query(text, params));
    } finally {
      await client.end();
    }
  }
  const waits = 'select 1 from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()';
  const isWaiting = () => waitFor('the wait', async () => (await house.sql(waits)).length > 0);
  const upsert = (phone: string, email: string) => {
    const fields = { phone_number: phone, email };
    const options = upsertOptions(ownRows(house.em(), house.organizationId), fields);
    return house.ledger.transact(options, async (tx, owner) => {
      return (await upsertContact(tx.of(house.organizationId), testSecrets, fields, owner)).row.id;
    });
  };

  test.each([
    ['a webhook', (phone: string) => resolve({ phoneId: phone.slice(1), userId: `US.${phone}` })],
    ['a send', (phone: string) => resolve({ phone })],
    ['an upsert', (phone: string) => upsert(phone, `${phone}@example.com`)],
  ])('%s writes identities in the order of all: of two who make a person none waits for the other twice', async (_who, make) => {
    const phone = newPhone();
    const identity = `insert into contact_identities (id, organization_id, contact_id, type, value) values (uuidv7(), $1, $2, $3, $4)`;
    const { id } = await contact(house.em(), house.organizationId, { phone: newPhone() });
    const made = await other(async (query) => {
      await query(identity, [house.organizationId, id, 'messaging_app', phone.slice(1)]);
      const making = make(phone);
      await isWaiting();
      await query(identity, [house.organizationId, id, 'phone', phone]);
      return { making };
    });
    expect(await made.making).not.toBe(id);
  });

  test('who waits for the lock of a contact holds no row that its holder needs', async () => {
    const [first, second] = [newPhone(), newPhone()];
    const { id } = await contact(house.em(), house.organizationId, { phone: first, userId: `US.${first}` });
    const { id: twin } = await contact(house.em(), house.organizationId, { phone: second });
    const found = await other(async (query) => {
      await query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [contactLock(id)]);
      const finding = resolve({ phone: second, phoneId: newPhone().slice(1), userId: `US.${first}` });
      await isWaiting();
      await query('select 1 from contacts where id = any($1) for update', [[id, twin]]);
      return { finding };
    });
    expect(await found.finding).toBe(id);
    expect(await house.em().find(ContactDuplicate, { contact_id: id })).toMatchObject([{ other_id: twin }]);
  });
});
