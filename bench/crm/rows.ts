import { anyOf, idOf, organizations, seconds, word } from '../fill-sql.ts';

/** Statements of an insert-select each. $1: organizations. Ids follow from the organization's, so all fill alike. */

/** One a second, the newest now. */
const at = (count: number) => `now() - ${seconds(`(${count} - n)`)}`;
/** In one title of each kind, of row `n * 83`. */
export const rareWordOf = word('n * 83');

export const commonWord = 'Renewal';
const subjects = [commonWord, 'Licence', 'Training', 'Support'];
const cities = ['Jakarta', 'Bandung', 'Berlin', 'Paris', 'Madrid', 'Lagos', 'Mumbai', 'Hanoi', 'Wien', 'Oslo'];

/** The type's fields, all indexed. `value`: of the record `n`. */
export const machineFields = [
  // 0.01 % each.
  { name: 'serial', type: 'text', value: `'S-' || n % 10000` },
  // 1 % each.
  { name: 'batch', type: 'text', value: `'B-' || n % 100` },
  // 30 %, 60 % and 10 %.
  { name: 'state', type: 'select', value: `case when n % 10 < 3 then 'sold' when n % 10 < 9 then 'stock' else 'lost' end` },
  { name: 'city', type: 'text', value: anyOf(cities, 'n / 7') },
  { name: 'email', type: 'email', value: `'m' || n || '@example.com'` },
  { name: 'price', type: 'number', value: '(n::bigint * 7654321) % 1000000 / 100.0' },
  { name: 'weight', type: 'integer', value: '(n::bigint * 1234577) % 5000' },
  { name: 'is_leased', type: 'boolean', value: 'n % 3 = 0' },
  { name: 'bought_on', type: 'date', value: `to_char(date '2020-01-01' + (n % 2000), 'YYYY-MM-DD')` },
  { name: 'seen_at', type: 'datetime', value: `to_char(now() - n * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS.000"Z"')` },
];

const states = JSON.stringify(['sold', 'stock', 'lost'].map((value) => ({ value, label: value })));

/** What is there before the rows: $1 only. */
export const definitions = [
  `insert into users (id, email, name) select o, o::text || '@example.com', 'Member' from ${organizations}`,
  `insert into memberships (organization_id, user_id, role) select o, o, 'owner' from ${organizations}`,
  `insert into channels (id, organization_id, provider, name, phone_number_id, account_id, display_phone, status, access_token, rate)
   select o, o, 'messaging_app', 'Bench', o::text, 'bench', '', 'connected', '', 80 from ${organizations}`,
  `insert into object_types (id, organization_id, kind, label, plural_label, display_field)
   select ${idOf('machine')}, o, 'machine', 'Machine', 'Machines', 'serial' from ${organizations}`,
  ...machineFields.map(
    ({ name, type }, position) => `
    insert into object_fields (id, organization_id, type_id, name, label, type, is_indexed, position, index_state, options)
    select ${idOf(name)}, o, ${idOf('machine')}, '${name}', '${name}', '${type}', true, ${position}, 'ready',
           '${type === 'select' ? states : '[]'}'
      from ${organizations}`,
  ),
  `insert into object_fields (id, organization_id, type_id, name, label, type, is_searchable, position)
   select ${idOf('note')}, o, ${idOf('machine')}, 'note', 'note', 'text', true, 10 from ${organizations}`,
  ...['sales', 'archive'].map(
    (name) => `
    insert into pipelines (id, organization_id, name, is_default)
    select ${idOf(name)}, o, '${name}', ${name === 'sales'} from ${organizations}`,
  ),
  ...['sales', 'archive'].flatMap((pipeline) =>
    ['open', 'open', 'won', 'lost'].map(
      (kind, position) => `
      insert into pipeline_stages (id, organization_id, pipeline_id, name, kind, probability, position)
      select ${idOf(`${pipeline} ${position}`)}, o, ${idOf(pipeline)}, '${kind}', '${kind}', 50, ${position} from ${organizations}`,
    ),
  ),
];

/** A conversation each. */
export const people = (count: number) => [
  `create temp table people on commit preserve rows as
   select o, n, uuidv7() as contact_id, uuidv7() as conversation_id from ${organizations}, generate_series(1, ${count}) n`,
  `insert into contacts (id, organization_id, name, phone_number, created_at, updated_at)
   select contact_id, o, ${word('n')}, '+4930' || lpad(n::text, 9, '0'), now(), now() from people`,
  `insert into conversations (id, organization_id, channel_id, contact_id, status, last_message_at)
   select conversation_id, o, o, contact_id, 'resolved', now() - ${seconds('n')} from people`,
];

const filled = (count: number, persons: number) =>
  `create temp table filled on commit preserve rows as
   select o, n, uuidv7(${seconds(`(n - ${count})`)}) as id, ${at(count)} as at, n % greatest(2, ${count} / 100000) = 0 as is_open,
          1 + (n - 1) / 5 % ${persons} as person
     from ${organizations}, generate_series(1, ${count}) n`;

/** Links go to the first of so many: five deals a conversation, a contact a deal, five tasks a contact. */
export const deals = (count: number, persons: number) => [
  filled(count, persons),
  // All open ones and one closed one in a hundred in the first pipeline.
  `insert into deals (id, organization_id, title, status, amount_minor, currency_code, home_currency_at_write, amount_in_home_currency,
          expected_close_at, owner_user_id, pipeline_id, stage_id, stage_entered_at, closed_at, custom_fields, created_at, updated_at)
   select id, o, ${anyOf(subjects, 'n / 3')} || ' of ' || ${word('n')}, case when is_open then 'open' when n % 4 = 1 then 'lost' else 'won' end,
          n * 100, ${anyOf(['EUR', 'USD', 'JPY', 'IDR', 'GBP', 'CHF', 'SEK'], 'n')}, 'USD', case when n % 7 < 5 then n end,
          case when n % 3 > 0 then now() + (n::bigint * 7919 % 8640000 - 4320000) * interval '1 second' end, case when n % 10 < 2 then o end,
          case when is_open or n % 100 = 1 then ${idOf('sales')} else ${idOf('archive')} end,
          case when is_open and n % 8 < 4 then ${idOf('sales 0')} when is_open then ${idOf('sales 1')}
               when n % 100 = 1 then ${idOf('sales 3')} when n % 4 = 1 then ${idOf('archive 3')} else ${idOf('archive 2')} end,
          at, case when not is_open then at end, jsonb_build_object('tier', n % 50), at, at
     from filled`,
  `insert into deal_conversations (organization_id, conversation_id, deal_id)
   select f.o, p.conversation_id, f.id from filled f join people p on p.o = f.o and p.n = f.person where f.n <= 5 * ${persons}`,
  `insert into deal_contacts (organization_id, deal_id, contact_id, is_primary)
   select f.o, f.id, p.contact_id, true from filled f join people p on p.o = f.o and p.n = f.person`,
];

export const tasks = (count: number, persons: number) => [
  filled(count, persons),
  `insert into crm_tasks (id, organization_id, title, description, status, priority, assignee_id, due_at, created_at, updated_at)
   select id, o, ${anyOf(subjects, 'n / 3')} || ' for ' || ${word('n')}, 'Call before the end of the week',
          case when n % 20 < 2 then 'open' when n % 20 = 2 then 'in_progress' else 'done' end, ${anyOf(['low', 'normal', 'high'], 'n')},
          case when n % 10 < 2 then o end,
          case when n % 3 > 0 then now() + (n::bigint * 7919 % 8640000 - 4320000) * interval '1 second' end, at, at
     from filled`,
  `insert into task_targets (id, organization_id, task_id, contact_id)
   select uuidv7(), f.o, f.id, p.contact_id from filled f join people p on p.o = f.o and p.n = f.person where f.n <= 5 * ${persons}`,
];

const fieldsOf = machineFields.map(({ name, value }) => `'${name}', ${value}`).join(', ');

export const records = (count: number) => [
  `insert into records (id, organization_id, type_id, display_name, fields, search_text, updated_at)
   select uuidv7(${seconds(`(n - ${count})`)}), o, ${idOf('machine')}, 'S-' || n % 10000,
          jsonb_build_object(${fieldsOf}, 'note', note), note, ${at(count)}
     from ${organizations}, generate_series(1, ${count}) n, lateral (select ${anyOf(subjects, 'n / 3')} || ' of ' || ${word('n')} as note) noted`,
  `insert into record_values (organization_id, field_id, record_id, text_value, number_value, time_value)
   select r.organization_id, f.id, r.id,
          case when f.type in ('text', 'select', 'email') then left(fold(r.fields ->> f.name), 200) end,
          case f.type when 'number' then (r.fields ->> f.name)::numeric when 'integer' then (r.fields ->> f.name)::numeric
               when 'boolean' then (r.fields ->> f.name)::boolean::int end,
          case when f.type in ('date', 'datetime') then (r.fields ->> f.name)::timestamptz end
     from records r
     join object_fields f on f.organization_id = r.organization_id and f.type_id = r.type_id and f.is_indexed
    where r.organization_id = any($1::uuid[])`,
];

/** $1: the organization, $2: a company of its own, $3: the relation, $4: contacts. */
export const companyLinks = `
  insert into record_links (id, organization_id, relation_id, record_id, contact_id, is_single_from, is_single_to)
  select uuidv7(), $1, $3, $2, id, false, true
    from (select id from contacts where organization_id = $1 order by id limit $4::int) c`;
