import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type House, openHouse } from '../../../support/house.ts';
import { type Explaining, explaining } from '../../../support/indexes/explaining.ts';
import { filled } from '../../../support/indexes/filled.ts';
import { type Uses, usesOf } from '../../../support/indexes/uses.ts';

/** The rule that a unique index holds; those of primary keys are their rows' names. */
const rules: Record<string, string> = {
  api_keys_hash: 'a key is one key',
  bearer_tokens_hash: 'a token is one token',
  channels_phone_number_id: 'a number is one channel',
  contact_blocks_address: 'an address has one block on a channel',
  contact_consents_channel: 'a contact has one consent for a channel',
  contact_duplicates_pair: 'a pair is listed once',
  contact_identities_value: 'an identity is of one contact',
  contact_suppressions_channel: 'a contact has one suppression for a channel',
  conversations_pair: 'a contact has one conversation on a channel',
  invitations_hash: 'a link is of one invitation',
  invitations_open: 'an email has one open invitation',
  jobs_head: 'a lane has one head',
  media_assets_message_once: 'a message has one file',
  message_attempts_number: 'a message has one try of each number',
  messages_provider_message_id: "the provider's id is of one message",
  password_resets_hash: 'a link is of one request',
  sessions_hash: 'a cookie is of one session',
  tags_name: 'a tag has its name alone',
  templates_name: 'a template has its name and language alone',
  users_email: 'an email is of one person',
  webhook_deliveries_once: 'an event is delivered once to an endpoint',
};

let house: House;
let plans: Explaining;
let uses: Uses;
beforeAll(async () => {
  house = await openHouse();
  const ids = await filled(house);
  plans = await explaining(house);
  uses = usesOf(house, plans.database, ids);
});
afterAll(async () => {
  await plans.database.close();
  await house.close();
});

test('every index serves a statement or holds a rule, and no index is named that is not there', async () => {
  const indexes = await house.sql<{ name: string; is_unique: boolean; is_primary: boolean }>(`
    select i.indexrelid::regclass::text as name, i.indisunique as is_unique, i.indisprimary as is_primary
      from pg_index i
      join pg_class c on c.oid = i.indrelid and c.relnamespace = 'public'::regnamespace
     order by 1`);
  const others = indexes.filter(({ is_primary }) => !is_primary);
  expect(others.filter(({ is_unique }) => is_unique).map(({ name }) => name)).toEqual(Object.keys(rules).sort());
  expect(others.filter(({ is_unique }) => !is_unique).map(({ name }) => name)).toEqual(Object.keys(uses).sort());
});

test('what is said to use an index has it in its plan', async () => {
  const unused: string[] = [];
  for (const [index, { by, run }] of Object.entries(uses)) {
    const found = await plans.indexesOf(run);
    if (!found.has(index)) unused.push(`${index} by ${by}: ${[...found].join(', ')}`);
  }
  expect(unused).toEqual([]);
});
