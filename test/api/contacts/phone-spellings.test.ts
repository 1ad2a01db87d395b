import { beforeAll, describe, expect, test } from '@jest/globals';
import { PhoneSpellings } from '../../../src/platform/migrations/20261205000000-phone-spellings.ts';
import { type Channel, useApp } from '../../support/app.ts';
import { fc } from '../../support/fast-check.ts';
import { type Forms, formsOf } from '../../support/phone-forms.ts';
import { bodyFor, inboundFrom } from '../../support/provider-body.ts';

const app = useApp({ workers: true });
let channel: Channel;

beforeAll(async () => {
  channel = await app.connect();
});

const countries = Object.entries(formsOf);
/** In both directions: the client has one form, the provider the other. */
const pairOf = (forms: fc.Arbitrary<Forms>) =>
  fc.tuple(forms, fc.boolean()).map(([{ long, short }, isLong]) => (isLong ? [long, short] : [short, long]) as [string, string]);

const create = async (phone: string) =>
  (await app.call('contacts.create', { body: { phone_number: `+${phone}` } })).body.data.id as string;
const write = async (phone: string, text = 'Hello') => {
  expect((await app.webhook(bodyFor(channel, inboundFrom(phone, { text: { body: text } })))).status).toBe(200);
  await app.idle();
};
const contactsOf = (...phones: string[]) =>
  app.rows(
    `select distinct contact_id from contact_identities where organization_id = $1 and ltrim(value, '+') = any($2::text[])`,
    [app.tenant.organizationId, phones],
  );
const send = (phone: string) =>
  app.call('messages.send', { body: { channel_id: channel.id, to: `+${phone}`, type: 'text', text: { body: 'Hi' } } });

describe('one phone in two forms is one person', () => {
  test.each(countries)('%s: one contact, one window, one suppression', async (_country, forms) => {
    await fc.assert(
      fc.asyncProperty(pairOf(forms), async ([dialled, provider]) => {
        const id = await create(dialled);
        await write(provider);
        expect(await contactsOf(dialled, provider)).toEqual([{ contact_id: id }]);
        expect((await send(dialled)).status).toBe(201);
        expect((await app.call('contacts.get-by-phone', { params: { phone: `+${provider}` } })).body.data.id).toBe(id);
        expect(await create(provider)).toBe(id);
        await write(provider, 'STOP');
        const refused = await send(dialled);
        expect(refused.status).toBe(422);
        expect(refused.body.error.code).toBe('suppressed');
      }),
      { numRuns: 2 },
    );
  });

  test.each(countries)('%s: the provider may know the person first', async (_country, forms) => {
    const [[provider, dialled]] = fc.sample(pairOf(forms), { numRuns: 1, seed: 1 }) as [[string, string]];
    await write(provider);
    const [{ contact_id: id }] = await contactsOf(provider);
    expect(await create(dialled)).toBe(id);
    const sent = await send(dialled);
    // The form that the provider knows.
    expect(sent.body.data.to_phone).toBe(provider);
  });

  test('a file with both forms makes one contact', async () => {
    const [{ long, short }] = fc.sample(formsOf.Brazil!, { numRuns: 1, seed: 2 }) as [Forms];
    const reply = await app.call('contacts.import', { body: `phone_number,name\n+${long},Ana\n+${short},Ana Maria\n` });
    expect(reply.status).toBe(201);
    await app.idle();
    const found = await contactsOf(long, short);
    expect(found).toHaveLength(1);
    const [{ long: known, short: other }] = fc.sample(formsOf.Mexico!, { numRuns: 1, seed: 3 }) as [Forms];
    const id = await create(known);
    await app.call('contacts.import', { body: `phone_number,name\n+${other},Juan\n` });
    await app.idle();
    expect(await contactsOf(known, other)).toEqual([{ contact_id: id }]);
  });

  test('an identity that another contact has in the other form is a 409', async () => {
    const [{ long, short }] = fc.sample(formsOf.Argentina!, { numRuns: 1, seed: 4 }) as [Forms];
    await create(long);
    const other = await app.call('contacts.create', { body: { email: 'other@example.com' } });
    const reply = await app.call('contacts.identities.create', {
      params: { contactID: other.body.data.id },
      body: { type: 'phone', value: `+${short}` },
    });
    expect(reply.status).toBe(409);
  });
});

/** Two contacts, as they were made before the forms were known. */
async function twoContacts({ long, short }: Forms): Promise<[string, string]> {
  const ids: string[] = [];
  for (const phone of [long, short]) {
    const id = (await app.call('contacts.create', { body: { external_source: 'crm', external_id: phone } })).body.data.id;
    await app.rows(
      `insert into contact_identities (id, organization_id, contact_id, type, source, value)
       values (uuidv7(), $1, $2, 'phone', '', '+' || $3), (uuidv7(), $1, $2, 'messaging_app', '', $3)`,
      [app.tenant.organizationId, id, phone],
    );
    ids.push(id);
  }
  return ids as [string, string];
}
const pairs = () =>
  app.rows('select contact_id, other_id, reason from contact_duplicates where organization_id = $1', [app.tenant.organizationId]);

describe('two contacts with one phone', () => {
  test.each(countries)(
    '%s: the migration lists them, a suppression of one counts for both, and they merge',
    async (_c, forms) => {
      const [known] = fc.sample(forms, { numRuns: 1, seed: 5 }) as [Forms];
      const [older, newer] = await twoContacts(known);
      const statements: string[] = [];
      PhoneSpellings.prototype.up.call({ addSql: (text: string) => statements.push(text) } as never);
      for (const text of statements) await app.rows(text);
      expect(await pairs()).toContainEqual({ contact_id: older, other_id: newer, reason: 'same_phone' });
      await write(known.short, 'STOP');
      expect((await send(known.long)).body.error.code).toBe('suppressed');
      const merged = await app.call('contacts.merge', { params: { contactID: older }, body: { contact_id: newer } });
      expect(merged.status).toBe(200);
      expect(await contactsOf(known.long, known.short)).toEqual([{ contact_id: older }]);
    },
  );

  test('an id that the provider answers, and another contact has, is listed', async () => {
    const [phone, waId] = [app.phone(), app.phone()];
    const [one, other] = [await create(phone), await create(waId)].sort();
    await app.control('POST', '/behaviour', { wa_ids: { [phone]: waId } });
    await write(phone);
    await send(phone);
    await app.idle();
    expect(await pairs()).toContainEqual({ contact_id: one, other_id: other, reason: 'same_phone' });
  });
});
