import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ContactTx, contactTx } from '../../../src/contacts/contact-tx.ts';
import { conversationsOf, eraseContact, eraseLocks } from '../../../src/contacts/erasure/erase.ts';
import { contactLock } from '../../../src/contacts/events.ts';
import { addIdentity, removeIdentity } from '../../../src/contacts/identities/identities.ts';
import { applyIdentityChange } from '../../../src/contacts/identities/identity-change.ts';
import { identityTaken, type Person, resolveContact } from '../../../src/contacts/identities/resolve.ts';
import { lookUpContact } from '../../../src/contacts/lookup.ts';
import { lookAtPair, mergeContacts, mergeLocks } from '../../../src/contacts/merging/merge.ts';
import { upsertContact, upsertOptions } from '../../../src/contacts/upsert.ts';
import { createOrganization } from '../../../src/organizations/organizations.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { AppError } from '../../../src/platform/errors.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { fc, numRuns } from '../../support/fast-check.ts';
import { type House, openHouse } from '../../support/house.ts';
import { testSecrets } from '../../support/secrets.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

/** Few people with few addresses, so that they often meet. */
const phones = ['16505550001', '16505550002', '16505550003', '16505550004'];
const users = ['US.1', 'US.2'];
const emails = ['a@example.com', 'b@example.com'];

type Kind = 'phone' | 'user' | 'email';
const addresses: { kind: Kind; value: string }[] = [
  ...phones.map((value) => ({ kind: 'phone' as const, value })),
  ...users.map((value) => ({ kind: 'user' as const, value })),
  ...emails.map((value) => ({ kind: 'email' as const, value })),
];
const typeOf = { phone: 'phone', user: 'messaging_app_id', email: 'email' } as const;
const storedAs = (kind: Kind, value: string) =>
  kind === 'phone' ? [`phone +${value}`, `messaging_app ${value}`] : [`${typeOf[kind]} ${value}`];

const optional = (values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
const who = fc.nat(5);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('upsert' as const), phone: optional(phones), email: optional(emails) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('inbound' as const), phone: optional(phones), user: optional(users) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('add' as const), who, address: fc.constantFrom(...addresses) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), address: fc.constantFrom(...addresses) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('merge' as const), who, other: who }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('number' as const),
      old: fc.constantFrom(...phones),
      next: fc.constantFrom(...phones),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('user' as const), old: fc.constantFrom(...users), next: fc.constantFrom(...users) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('note' as const), who }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), who }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** What should be: whose each address is, and whose each note. */
class World {
  readonly organizationId: string;
  readonly owners = new Map<string, string>();
  readonly contacts: string[] = [];
  readonly notes = new Map<string, string>();
  #notes = 0;

  constructor(organizationId: string) {
    this.organizationId = organizationId;
  }

  key = (kind: Kind, value: string) => `${kind} ${value}`;
  owner = (kind: Kind, value: string | undefined) => (value ? this.owners.get(this.key(kind, value)) : undefined);
  among(...given: [Kind, string | undefined][]) {
    return [...new Set(given.flatMap(([kind, value]) => this.owner(kind, value) ?? []))].sort();
  }
  give(id: string, ...given: [Kind, string | undefined][]) {
    for (const [kind, value] of given) if (value && !this.owner(kind, value)) this.owners.set(this.key(kind, value), id);
  }
  of = (id: string) => [...this.owners].filter(([, owner]) => owner === id).map(([key]) => key);
  /** Whoever stands there; with few contacts everybody often. */
  at = (place: number): string | undefined => this.contacts[place % this.contacts.length];
  nextNote() {
    this.#notes += 1;
    return `note ${this.#notes}`;
  }
  forget(id: string, into?: string) {
    this.contacts.splice(this.contacts.indexOf(id), 1);
    for (const map of [this.owners, this.notes])
      for (const [key, owner] of [...map]) {
        if (owner === id && into) map.set(key, into);
        else if (owner === id) map.delete(key);
      }
  }
}

/** The id or value it gives, or the code of its refusal. */
async function outcome<Value>(work: Promise<Value>): Promise<Value | string> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

const under = <Value>({ organizationId }: World, id: string, work: (tx: ContactTx) => Promise<Value>) =>
  house.ledger.transact({ locks: [contactLock(id)] }, async (tx) => work(await contactTx(tx.of(organizationId), id)));

const takes: { [Name in Step['kind']]: (world: World, step: Extract<Step, { kind: Name }>) => Promise<void> } = {
  async upsert(world, { phone, email }) {
    const given: [Kind, string | undefined][] = [
      ['phone', phone],
      ['email', email],
    ];
    const owners = world.among(...given);
    const fields = { ...(phone && { phone_number: `+${phone}` }), ...(email && { email }) };
    const { organizationId } = world;
    const options = upsertOptions(ownRows(house.em(), organizationId), fields);
    const got = await outcome(
      house.ledger.transact(options, async (tx, owner) => {
        return (await upsertContact(tx.of(organizationId), testSecrets, fields, owner)).row.id;
      }),
    );
    if (!phone && !email) return expect(got).toBe('invalid_request');
    if (owners.length > 1) return expect(got).toBe('conflict');
    if (owners[0]) expect(got).toBe(owners[0]);
    else world.contacts.push(got);
    world.give(got, ...given);
  },
  async inbound(world, { phone, user }) {
    if (!phone && !user) return;
    const given: [Kind, string | undefined][] = [
      ['phone', phone],
      ['user', user],
    ];
    const person: Person = { phoneId: phone, userId: user };
    const got = await house.ledger.transact({ retryOn: [identityTaken] }, (tx) =>
      resolveContact(tx.of(world.organizationId), testSecrets, person),
    );
    const [oldest] = world.among(...given);
    if (oldest) expect(got).toBe(oldest);
    else world.contacts.push(got);
    world.give(got, ...given);
  },
  async add(world, { who: place, address: { kind, value } }) {
    const id = world.at(place);
    if (!id) return;
    const given = { type: typeOf[kind], value: kind === 'phone' ? `+${value}` : value };
    const got = await outcome(under(world, id, async (tx) => (await addIdentity(tx, testSecrets, given)).isNew));
    const owner = world.owner(kind, value);
    expect(got).toBe(owner === undefined ? true : owner === id ? false : 'conflict');
    world.give(id, [kind, value]);
  },
  async remove(world, { address: { kind, value } }) {
    const id = world.owner(kind, value);
    if (!id) return;
    const [identity] = await house.sql<{ id: string }>(
      `select id from contact_identities where organization_id = $1 and type || ' ' || value = $2`,
      [world.organizationId, storedAs(kind, value)[0]],
    );
    const got = await outcome(under(world, id, (tx) => removeIdentity(tx, identity!.id)));
    if (world.of(id).length === 1) return expect(got).toBe('conflict');
    expect(got).toBeUndefined();
    world.owners.delete(world.key(kind, value));
  },
  async merge(world, { who: place, other: otherPlace }) {
    const [id, otherId] = [world.at(place), world.at(otherPlace)];
    if (!id || !otherId) return;
    const asked = { id, otherId };
    const merge = () =>
      house.ledger.transact(
        { look: () => lookAtPair(ownRows(house.database, world.organizationId), asked), locks: mergeLocks },
        async (tx) => {
          return (await mergeContacts(tx.of(world.organizationId), 'cli', asked)).id;
        },
      );
    const got = await outcome(merge());
    if (id === otherId) return expect(got).toBe('invalid_request');
    const [older, newer] = [id, otherId].sort();
    expect([got, await merge()]).toEqual([older, older]);
    world.forget(newer!, older);
  },
  number: (world, { old, next }) => rename(world, 'phone', old, next),
  user: (world, { old, next }) => rename(world, 'user', old, next),
  async note(world, { who: place }) {
    const id = world.at(place);
    if (!id) return;
    const body = world.nextNote();
    await house.sql(
      `insert into contact_notes (id, organization_id, contact_id, body, author) values (uuidv7(), $1, $2, $3, 'cli')`,
      [world.organizationId, id, body],
    );
    world.notes.set(body, id);
  },
  async delete(world, { who: place }) {
    const id = world.at(place);
    if (!id) return;
    const own = ownRows(house.database, world.organizationId);
    const look = () => conversationsOf(own, id);
    await house.ledger.transact({ look, locks: (conversations) => eraseLocks(id, conversations) }, (tx) =>
      eraseContact(tx.of(world.organizationId), testSecrets, id),
    );
    world.forget(id);
  },
};

async function rename(world: World, kind: 'phone' | 'user', old: string, next: string) {
  if (old === next) return;
  const [id, other] = [world.owner(kind, old), world.owner(kind, next)];
  const address = (value: string) => (kind === 'phone' ? { phoneId: value } : { userId: value });
  const got = await applyIdentityChange(transactFor(house.ledger.transact, world.organizationId), testSecrets, {
    reason: kind === 'phone' ? 'number_changed' : 'user_id_changed',
    old: address(old),
    new: address(next),
  });
  expect(got).toBe(!id ? 'unknown' : other && other !== id ? 'taken' : 'changed');
  if (got !== 'changed') return;
  world.owners.delete(world.key(kind, old));
  world.give(id!, [kind, next]);
}

async function agree({ organizationId, owners, notes, contacts, of }: World) {
  const stored = await house.sql<{ key: string; contact_id: string }>(
    `select type || ' ' || value as key, contact_id from contact_identities where organization_id = $1 order by 1`,
    [organizationId],
  );
  const wanted = addresses.flatMap(({ kind, value }) => {
    const contact_id = owners.get(`${kind} ${value}`);
    return contact_id ? storedAs(kind, value).map((key) => ({ key, contact_id })) : [];
  });
  expect(stored).toEqual(wanted.sort((one, two) => (one.key < two.key ? -1 : 1)));
  const kept = await house.sql<{ body: string; contact_id: string }>(
    'select body, contact_id from contact_notes where organization_id = $1',
    [organizationId],
  );
  expect(new Map(kept.map(({ body, contact_id }) => [body, contact_id]))).toEqual(notes);
  for (const { kind, value } of addresses) {
    const found = await outcome(
      lookUpContact(ownRows(house.em(), organizationId), [{ type: typeOf[kind], value }]).then(({ id }) => id),
    );
    expect([kind, value, found]).toEqual([kind, value, owners.get(`${kind} ${value}`) ?? 'not_found']);
  }
  const rows = await house.sql<{ id: string; search: string; phone_number: string; email: string }>(
    'select id, search, phone_number, email from contacts where organization_id = $1 order by id',
    [organizationId],
  );
  expect(rows.map(({ id }) => id)).toEqual([...contacts].sort());
  for (const { id, search, phone_number, email } of rows) {
    const own = of(id).filter((key) => !key.startsWith('user '));
    expect(search.split('\n').slice(1).filter(Boolean).sort()).toEqual(own.map((key) => key.slice(6).trim()).sort());
    expect(phone_number !== '').toBe(own.some((key) => key.startsWith('phone ')));
    expect(email !== '').toBe(own.some((key) => key.startsWith('email ')));
  }
}

test('whatever becomes of them: each address is one contact’s, no note is lost, and lookup and search say what the model says', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 20, size: 'max' }), async (steps) => {
      const world = new World(await createOrganization(house.em(), 'Model'));
      for (const each of steps) await takes[each.kind](world, each as never);
      await agree(world);
    }),
    { numRuns: numRuns({ default: 5, deep: 60 }) },
  );
});
