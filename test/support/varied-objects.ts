import { uuidv7 } from '../../src/platform/ids.ts';
import { transactFor } from '../../src/platform/ledger/tenant.ts';
import type { FieldType } from '../../src/records/types/type.entity.ts';
import type { Values } from '../../src/records/types/values.ts';
import type { App } from './app.ts';
import { channel } from './factories/channel.ts';
import { objectType } from './factories/object-type.ts';
import { person } from './factories/person.ts';
import { pipeline } from './factories/pipeline.ts';
import { records } from './factories/records.ts';
import { fc } from './fast-check.ts';

/** Case, accents, compatibility forms, wildcards, pairs, and what sorts between half a pair and a whole character. */
export const texts = [
  ...[
    '',
    ' ',
    'ada',
    'Ada',
    'ADA LOVELACE',
    'Ádám',
    'ádám',
    'straße',
    'STRASSE',
    'İstanbul',
    'ıstanbul',
    'ΣΊΣΥΦΟΣ',
    'σίσυφος',
    'ﬁne',
  ],
  ...['50%', '5_', 'a_b', 'a%b', 'a\\b', '%', '_', '\\', '👩‍💻', '😀', '\uffee', 'e\u0301', 'é', 'Ё', 'е', '10', '9', "o'neil"],
];
const times = [
  ...['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.001Z', '2026-01-01T00:00:00.001999Z', '2026-01-01T00:00:00.002Z'],
  ...['2026-01-01T01:00:00+01:00', '2025-12-31T23:59:59.999999Z', '2026-06-01T12:00:00.5Z'],
];
export const wholeTimes = times.filter((time) => !/\.\d{4,}/.test(time));
export const amounts = ['0', '5', '10', '9223372036854775807', '9223372036854775806', '007'];
export const decimals = ['0', '0.5', '0.50', '-0.5', '10', '10.000000000000000000000000000001', '99999999999999999999.5', '-3'];
const numbers = [0, 1, -1, 1.5, 10, 9, 1e21, 1e-7, 123456789012];
export const jsonScalars = [...texts.slice(0, 20), ...numbers, true, false];
const json = [...jsonScalars, null, [], ['ada'], {}, { ada: 'ada' }];
/** The second and the third are one when they are folded. */
export const options = ['red', 'Green', 'gréen', 'blue'];
export const kind = 'part';
/** A record may name anybody. */
export const userIds = ['0197f1aa-0000-7000-8000-00000000000a', '0197f1aa-0000-7000-8000-00000000000b'];

const text = fc.constantFrom(...texts);
const time = fc.constantFrom(...times);
const orNull = <Value>(one: fc.Arbitrary<Value>) => fc.option(one, { freq: 3 });
const custom = fc.dictionary(fc.constantFrom('tier', 'a.b', 'Tier'), fc.constantFrom(...json), { maxKeys: 3 });
const email = fc.constantFrom('', 'ada@example.com', 'ADA@Example.com', 'zoë@example.com', 'a_b@example.com');
const phone = fc.constantFrom('', '+16505551234', '+16505551235');

/** By the names of declared fields, twice: with an index, and without. */
const declared = {
  word: ['text', fc.constantFrom(...texts.filter((one) => one.trim() !== ''))],
  size: ['number', fc.constantFrom(...numbers)],
  done: ['boolean', fc.boolean()],
  day: ['date', fc.constantFrom('2026-01-01', '2026-01-02', '2025-12-31')],
  at: ['datetime', fc.constantFrom(...times)],
  colour: ['select', fc.constantFrom(...options)],
  colours: ['multi_select', fc.shuffledSubarray(options, { minLength: 1 })],
  price: [
    'currency',
    fc.record({ amount_minor: fc.constantFrom(...amounts.slice(0, 5)), currency_code: fc.constantFrom('EUR', 'USD') }),
  ],
  address: ['email', fc.constantFrom('ada@example.com', 'zoe@example.com')],
  site: ['url', fc.constantFrom('https://example.com/A', 'https://example.com/a')],
  essay: ['long_text', fc.constantFrom(...texts.filter((one) => one.trim() !== ''))],
  count: ['integer', fc.constantFrom(0, 1, -1, 9, 10, 123456789012)],
  mobile: ['phone', fc.constantFrom('+16505551234', '+16505551235')],
  keeper: ['user', fc.constantFrom(...userIds)],
  bag: ['json', fc.constantFrom(0, 'ada', { ada: 1 }, ['ada'])],
} as const;
/** Of the types that fields have. */
export const declaredTypes = Object.values(declared).map(([type]) => type as FieldType);

const isIndexable = (name: string) => name !== 'bag' && name !== 'essay';
const names = Object.keys(declared) as (keyof typeof declared)[];
const all = names.flatMap((name) => [name, ...(isIndexable(name) ? [`${name}_indexed`] : [])]);
const arbitraryOf = (name: string) => declared[name.replace('_indexed', '') as keyof typeof declared][1] as fc.Arbitrary<unknown>;
/** As conditions name them; the last is every object's. */
export const recordNames = [...all, 'price.currency_code', 'price_indexed.currency_code', 'name'];
const declaredValues = fc.record(Object.fromEntries(all.map((name) => [name, arbitraryOf(name)])), {
  requiredKeys: [],
}) as fc.Arbitrary<Values>;

export type Objects = Record<'contact' | 'conversation' | 'deal' | 'task' | 'record', string[]>;

/** Contacts, conversations, deals, tasks and records of one type, in every mixture of values that tables can hold. */
export async function variedObjects(app: App, organizationId: string, count: number): Promise<Objects> {
  const several = <Value>(one: fc.Arbitrary<Value>) => fc.sample(one, count);
  async function inserted(table: string, rows: object[]): Promise<string[]> {
    const whole = rows.map((row) => ({ id: uuidv7(), organization_id: organizationId, ...row }));
    const columns = Object.keys(whole[0]!).join(', ');
    await app.rows(
      `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
      [JSON.stringify(whole)],
    );
    return whole.map(({ id }) => id);
  }
  const moments = { created_at: time, updated_at: time };

  const contact = await inserted(
    'contacts',
    several(
      fc.record({
        ...{ name: text, phone_number: phone, email, external_source: text, external_id: text, custom_fields: custom },
        ...{ other_addresses: fc.constant(''), ...moments },
      }),
    ),
  );
  const tagNames = await app.rows(
    `insert into tags (id, organization_id, name)
     select uuidv7(), $1, name from unnest($2::text[]) as x(name) where name <> ''
         on conflict do nothing
     returning id`,
    [organizationId, texts],
  );
  const tags = fc.shuffledSubarray(
    tagNames.map(({ id }) => id as string),
    { maxLength: 3 },
  );
  async function tagged(table: string, column: string, ids: string[]) {
    for (const id of ids)
      for (const tag of fc.sample(tags, 1)[0]!)
        await app.rows(`insert into ${table} (organization_id, ${column}, tag_id) values ($1, $2, $3)`, [
          organizationId,
          id,
          tag,
        ]);
  }
  await tagged('contact_tags', 'contact_id', contact);

  const { id: channelId } = await channel(app.em(), organizationId);
  const { userId } = await person(app.em(), organizationId);
  const user = orNull(fc.constant(userId));
  const conversation = await inserted(
    'conversations',
    several(
      fc.record({
        channel_id: fc.constant(channelId),
        status: fc.constantFrom('open', 'pending', 'snoozed', 'resolved'),
        priority: fc.constantFrom('none', 'low', 'urgent'),
        assignee_id: user,
        unread_count: fc.nat(2),
        custom_fields: custom,
        last_inbound_at: orNull(fc.constantFrom('2026-01-01T00:00:00Z', new Date(Date.now() - 1_000).toISOString())),
        last_message_at: orNull(time),
        ...{ preview: text, profile_name: text, profile_username: text, profile_phone: text, profile_user_id: text },
        ...moments,
      }),
    ).map((row, index) => ({ ...row, contact_id: index % 3 === 0 ? null : contact[index]! })),
  );
  await tagged('conversation_tags', 'conversation_id', conversation);

  const { id: pipelineId, stages } = await pipeline(app.em(), organizationId);
  const staged = fc
    .constantFrom(...Object.values(stages))
    .map((id) => ({ pipeline_id: pipelineId as string | null, stage_id: id as string | null }));
  const deal = await inserted(
    'deals',
    several(
      fc
        .record({
          ...{ title: text, status: fc.constantFrom('open', 'won', 'lost'), lost_reason: text, custom_fields: custom },
          amount_minor: fc.constantFrom(...amounts.slice(0, 5)),
          currency_code: fc.constantFrom('EUR', 'USD'),
          ...{ home_currency_at_write: fc.constant('EUR'), metadata: fc.constant({}), revision: fc.constant(1) },
          ...{ owner_user_id: user, source_conversation_id: orNull(fc.constantFrom(...conversation)) },
          position: fc.constantFrom(...decimals),
          ...{ expected_close_at: orNull(time), stage_entered_at: orNull(time), closed_at: orNull(time), ...moments },
          stage: fc.oneof(staged, fc.constant({ pipeline_id: null, stage_id: null })),
        })
        .map(({ stage, ...row }) => ({ ...row, ...stage })),
    ).map((row, index) => ({ ...row, deleted_at: index % 7 === 0 ? '2026-01-01T00:00:00Z' : null })),
  );

  const task = await inserted(
    'crm_tasks',
    several(
      fc.record({
        ...{
          title: text,
          description: text,
          status: fc.constantFrom('open', 'done'),
          priority: fc.constantFrom('low', 'urgent'),
        },
        ...{ type: fc.constantFrom('todo', 'call'), assignee_id: user, due_at: orNull(time), created_by: text },
        ...{ revision: fc.constant(1), ...moments },
      }),
    ),
  );

  const indexed = (name: string) => name.endsWith('_indexed');
  await objectType(app, organizationId, {
    kind,
    fields: all.map((name) => ({
      name,
      type: declared[name.replace('_indexed', '') as keyof typeof declared][0],
      isIndexed: indexed(name),
      options: name.startsWith('colour') ? options.map((value) => ({ value, label: value })) : [],
    })),
  });
  const transact = transactFor(app.web.deps.ledger.transact, organizationId);
  const record = (await records(transact, kind, several(declaredValues))).map(({ id }) => id);
  const customs = several(custom);
  for (const [index, id] of record.entries())
    await app.rows('update records set custom_fields = $2, display_name = $3, updated_at = $4 where id = $1', [
      ...[id, JSON.stringify(customs[index]), fc.sample(text, 1)[0], fc.sample(time, 1)[0]],
    ]);

  for (const id of task)
    for (const [column, ids] of Object.entries({
      contact_id: contact,
      conversation_id: conversation,
      deal_id: deal,
      record_id: record,
    }))
      for (const target of fc.sample(fc.shuffledSubarray(ids.slice(0, 8), { maxLength: 2 }), 1)[0]!)
        await app.rows(
          `insert into task_targets (id, organization_id, task_id, ${column}, created_by) values (uuidv7(), $1, $2, $3, 'user:x')`,
          [organizationId, id, target],
        );
  return { contact, conversation, deal, task, record };
}
