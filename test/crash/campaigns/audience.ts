import { query } from '../../../src/platform/database/query.ts';
import { account, type Stack } from '../stack.ts';

export const template = {
  id: '900000000000001',
  name: 'autumn_news',
  language: 'en_US',
  status: 'APPROVED',
  category: 'MARKETING',
  components: [{ type: 'BODY', text: 'Hello {{1}}', example: { body_text: [['Ada']] } }],
};

/** What each recipient gets: their name. */
export const variants = [
  {
    id: 'a',
    weight: 1,
    templates: [
      {
        name: template.name,
        language: template.language,
        components: [{ type: 'body', parameters: [{ type: 'text', text: '{{ contact.name }}' }] }],
      },
    ],
  },
];

/** Numbers at the provider, each of an account of its own with the template; returns the channels once their templates are known. */
export async function connectChannels(stack: Stack, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 1; number <= count; number += 1) {
    const own = { waba_id: `30000000000000${number}`, phone_number_id: `31000000000000${number}` };
    await stack.control('POST', '/accounts', {
      ...account,
      ...own,
      display_phone_number: `+1 555-020-000${number}`,
      templates: [{ ...template, id: `90000000000000${number}` }],
    });
    ids.push(await stack.connect(own.phone_number_id, own.waba_id));
  }
  for (const until = Date.now() + 60_000; Date.now() < until; ) {
    const [row] = await query<{ total: number }>(
      stack.database.em(),
      `select count(*)::int as total from templates where status = 'approved' and components <> '[]'`,
    );
    if (row!.total === count) return ids;
  }
  throw new Error('The templates did not come');
}

/** SQL: contacts with a phone and their consent, as a set. */
export async function addPeople(stack: Stack, count: number): Promise<void> {
  await query(
    stack.database.em(),
    `with people as (
       insert into contacts (organization_id, id, name, phone_number)
       select $1, uuidv7(), 'Person ' || n, '+1650' || (5600000 + n)
         from generate_series(1, $2::int) n
       returning id, phone_number),
     phones as (
       insert into contact_identities (organization_id, id, contact_id, type, value)
       select $1, uuidv7(), id, 'phone', phone_number
         from people)
     insert into contact_consents (organization_id, id, contact_id, channel, status)
     select $1, uuidv7(), id, 'messaging_app', 'granted'
       from people`,
    [stack.organizationId, count],
  );
  await query(stack.database.em(), 'analyze contacts, contact_identities, contact_consents');
}
