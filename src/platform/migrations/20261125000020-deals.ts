import { Migration } from '@mikro-orm/migrations';
import { created, manyRowsEach, organization, person, tenant, times } from './columns.ts';

const tables = ['pipelines', 'pipeline_stages', 'deals', 'deal_contacts', 'deal_conversations', 'deal_revaluations'];

/** Pipelines with their stages, and deals with what they are about. */
export class Deals extends Migration {
  override name = '20261125000020-deals';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    for (const statement of down) this.addSql(statement);
  }
}

const up = [
  `create table pipelines (
     ${tenant},
     name text not null,
     is_default boolean not null default false,
     needs_lost_reason boolean not null default false,
     ${times})`,
  'create index pipelines_list on pipelines (organization_id, created_at, id)',
  'create unique index pipelines_default on pipelines (organization_id) where is_default',

  `create table pipeline_stages (
     ${tenant},
     pipeline_id uuid not null,
     name text not null,
     kind text not null check (kind in ('open', 'won', 'lost')),
     probability int not null check (probability between 0 and 100),
     position int not null,
     ${times},
     constraint pipeline_stages_pipeline unique (organization_id, pipeline_id, id),
     foreign key (organization_id, pipeline_id) references pipelines (organization_id, id) on delete cascade)`,
  'create index pipeline_stages_position on pipeline_stages (organization_id, pipeline_id, position)',

  // A deal that is put at the end of a stage takes the next number: no two transactions get the same.
  'create sequence deals_position_seq',

  // amount_minor: in the minor units of currency_code. amount_in_home_currency: in units of the home currency, null without a rate.
  `create table deals (
     ${tenant},
     title text not null,
     status text not null check (status in ('open', 'won', 'lost')),
     amount_minor bigint not null default 0 check (amount_minor >= 0),
     currency_code text not null,
     home_currency_at_write text not null,
     amount_in_home_currency numeric,
     expected_close_at timestamptz,
     owner_user_id uuid,
     source_conversation_id uuid,
     pipeline_id uuid,
     stage_id uuid,
     stage_entered_at timestamptz,
     position numeric not null default nextval('deals_position_seq'),
     closed_at timestamptz,
     lost_reason text not null default '',
     custom_fields jsonb not null default '{}' check (jsonb_typeof(custom_fields) = 'object'),
     metadata jsonb not null default '{}',
     revision int not null default 1,
     search text not null generated always as (' ' || searchable(title)) stored,
     deleted_at timestamptz,
     ${times},
     check ((stage_id is null) = (pipeline_id is null)),
     constraint deals_stage_of_pipeline foreign key (organization_id, pipeline_id, stage_id)
       references pipeline_stages (organization_id, pipeline_id, id),
     constraint deals_owner_member foreign key (organization_id, owner_user_id)
       references memberships (organization_id, user_id) on delete set null (owner_user_id),
     constraint deals_conversation foreign key (organization_id, source_conversation_id)
       references conversations (organization_id, id) on delete set null (source_conversation_id))`,
  'alter table deals alter search set statistics 1000',
  'create index deals_list on deals (organization_id, created_at, id) where deleted_at is null',
  'create index deals_updated on deals (organization_id, updated_at, id) where deleted_at is null',
  // With those in the bin: a stage that is removed is looked for in all deals, by its reference too.
  'create index deals_stage on deals (organization_id, stage_id, position, id)',
  'create index deals_status on deals (organization_id, status, created_at, id) where deleted_at is null',
  // In the bin too: a member who leaves is looked for by it.
  'create index deals_owner on deals (organization_id, owner_user_id, created_at, id) where owner_user_id is not null',
  `create index deals_expected_close on deals (organization_id, (coalesce(expected_close_at, 'infinity'::timestamptz)), id)
    where deleted_at is null`,
  'create index deals_search on deals using gin (organization_id, search gin_trgm_ops) where deleted_at is null',
  'create index deals_custom_fields on deals using gin (organization_id, custom_fields jsonb_path_ops) where deleted_at is null',
  'create index deals_source on deals (organization_id, source_conversation_id) where source_conversation_id is not null',
  // A filter on it would be taken for one of a two-hundredth of the deals: the planner does not use what it knows of the index above.
  `create statistics deals_expected_close_values on (coalesce(expected_close_at, 'infinity'::timestamptz)) from deals`,
  // The sums of a pipeline, without its deals' rows.
  `create index deals_sums on deals (organization_id, stage_id, currency_code, home_currency_at_write)
    include (amount_minor, amount_in_home_currency)
    where deleted_at is null`,
  'create index deals_bin on deals (deleted_at) where deleted_at is not null',

  `create table deal_contacts (
     ${organization},
     deal_id uuid not null,
     ${person},
     role text not null default '',
     is_primary boolean not null default false,
     ${created},
     constraint deal_contacts_pkey primary key (organization_id, deal_id, contact_id),
     foreign key (organization_id, deal_id) references deals (organization_id, id) on delete cascade)`,
  'create index deal_contacts_contact on deal_contacts (organization_id, contact_id, deal_id)',
  'create unique index deal_contacts_primary on deal_contacts (organization_id, deal_id) where is_primary',

  `create table deal_conversations (
     ${organization},
     conversation_id uuid not null,
     deal_id uuid not null,
     ${created},
     constraint deal_conversations_pkey primary key (organization_id, conversation_id, deal_id),
     foreign key (organization_id, conversation_id) references conversations (organization_id, id) on delete cascade,
     foreign key (organization_id, deal_id) references deals (organization_id, id) on delete cascade)`,
  'create index deal_conversations_deal on deal_conversations (organization_id, deal_id, conversation_id)',

  // reached_at, reached_id: the last deal that was looked at.
  `create table deal_revaluations (
     ${tenant},
     state text not null check (state in ('open', 'ended')),
     actor text not null,
     reached_at timestamptz,
     reached_id uuid,
     done int not null default 0,
     changed int not null default 0,
     ${times},
     finished_at timestamptz)`,
  // One at a time.
  `create unique index deal_revaluations_open on deal_revaluations (organization_id) where state = 'open'`,
  `create index deal_revaluations_ended on deal_revaluations (finished_at) where state = 'ended'`,

  ...manyRowsEach(...tables),
];

const down = [...tables.toReversed().map((table) => `drop table ${table}`), 'drop sequence deals_position_seq'];
