import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { changeColumns } from '../../../src/contacts/change.ts';
import { Contact } from '../../../src/contacts/contact.entity.ts';
import { type ContactTx, contactTx, findContactTx } from '../../../src/contacts/contact-tx.ts';
import { contactLock } from '../../../src/contacts/events.ts';
import { giveIdentities, takeIdentities } from '../../../src/contacts/identities/write.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { LocksOutdated } from '../../../src/platform/ledger/locks.ts';
import { contact } from '../../support/factories/contact.ts';
import { type House, openHouse } from '../../support/house.ts';
import { eventsOf } from '../../support/rules/events.ts';
import { testSecrets } from '../../support/secrets.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const under = <Value>(id: string, work: (tx: ContactTx) => Promise<Value>) =>
  house.ledger.transact({ locks: [contactLock(id)] }, async (tx) => work(await contactTx(tx.of(house.organizationId), id)));
const changesOf = async (id: string) => (await eventsOf(house.em(), id)).map(({ data }) => data);
const otherAddressesOf = async (id: string) => (await house.em().findOneOrFail(Contact, { id })).other_addresses;
const email = (value: string) => ({ type: 'email' as const, source: '', value });

test('one event names all changed fields in one order, with the name as it is then', async () => {
  const { id } = await contact(house.em(), house.organizationId);
  await under(id, async (tx) => {
    tx.changed('suppressions', 'tags');
    await changeColumns(tx, { name: 'Ann' });
    tx.changed('tags', 'notes');
  });
  expect(await changesOf(id)).toEqual([
    expect.objectContaining({ name: 'Ann', changed: ['name', 'notes', 'tags', 'suppressions'] }),
  ]);
});

test('nothing changed: no event', async () => {
  const { id } = await contact(house.em(), house.organizationId);
  await under(id, (tx) => changeColumns(tx, {}));
  await under(id, (tx) => takeIdentities(tx, [email('nobody@example.com')]));
  expect(await changesOf(id)).toEqual([]);
});

test('an address that is added or removed is in the search column and in the event, whoever does it', async () => {
  const { id } = await contact(house.em(), house.organizationId);
  await under(id, (tx) => giveIdentities(tx, testSecrets, [email('one@example.com'), email('two@example.com')]));
  expect(await otherAddressesOf(id)).toBe('\none@example.com\ntwo@example.com');
  await under(id, (tx) => takeIdentities(tx, [email('one@example.com')]));
  expect(await otherAddressesOf(id)).toBe('\ntwo@example.com');
  expect((await changesOf(id)).map(({ changed }) => changed)).toEqual([['identities'], ['identities']]);
});

test('without the lock of the contact there is no ContactTx', async () => {
  const { id } = await contact(house.em(), house.organizationId);
  const work = house.ledger.transact({}, (tx) => contactTx(tx.of(house.organizationId), id));
  await expect(work).rejects.toBeInstanceOf(LocksOutdated);
});

test('a contact that does not exist is a 404, or undefined for who asks whether it does', async () => {
  const id = uuidv7();
  await expect(under(id, async () => 'found')).rejects.toMatchObject({ code: 'not_found' });
  const found = await house.ledger.transact({ locks: [contactLock(id)] }, (tx) => findContactTx(tx.of(house.organizationId), id));
  expect(found).toBeUndefined();
});
