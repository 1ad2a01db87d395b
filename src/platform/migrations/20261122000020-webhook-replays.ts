import { Migration } from '@mikro-orm/migrations';
import { manyRowsEach, tenant, times } from './columns.ts';

/** Replays of webhook deliveries, and operations that can be listed, paused and called off. */
export class WebhookReplays extends Migration {
  override name = '20261122000020-webhook-replays';

  override up() {
    for (const statement of statements) this.addSql(statement);
  }

  override down() {
    for (const statement of undo) this.addSql(statement);
  }
}

/** Another migration of the same release may have widened the states already: it is not asked what they were. */
const statesOf = (table: string, states: string[]) => [
  `alter table ${table} drop constraint if exists ${table}_state_check`,
  `alter table ${table} add constraint ${table}_state_check check (state in (${states.map((state) => `'${state}'`).join(', ')}))`,
];
const deliveries = ['pending', 'succeeded', 'failed'];
const jobs = ['blocked', 'waiting', 'queued', 'failed', 'done'];
const exports = ['queued', 'running', 'succeeded', 'failed'];
const imports = ['uploading', ...exports];

const endedFiles = (...states: string[]) =>
  ['contact_imports', 'contact_exports'].flatMap((table) => [
    `drop index ${table}_ended`,
    `create index ${table}_ended on ${table} (finished_at) where state in (${states.map((state) => `'${state}'`).join(', ')})`,
  ]);

const statements = [
  ...statesOf('webhook_deliveries', [...deliveries, 'cancelled']),
  ...statesOf('jobs', [...jobs, 'paused']),
  ...statesOf('contact_imports', [...imports, 'cancelled']),
  ...statesOf('contact_exports', [...exports, 'cancelled']),
  ...endedFiles('succeeded', 'failed', 'cancelled'),

  // Who asked for a replay, and after which attempt.
  'alter table webhook_deliveries add column asked_by text, add column asked_after int',

  'create index jobs_operations on jobs (organization_id, created_at, id) where visible',
  'create index jobs_operations_name on jobs (organization_id, name, created_at, id) where visible',

  // `position`: the first id that is not handled yet, of `last_id` exclusive; `since` and `until` as they were asked for.
  `create table webhook_replays (${tenant}, endpoint_id uuid not null, kind text not null check (kind in ('recover', 'replay', 'cancel')),
     state text not null check (state in ('open', 'paused', 'ended')), actor text not null, since timestamptz, until timestamptz, event_types text[],
     position uuid not null, last_id uuid not null, left_id uuid, done int not null default 0, ${times}, finished_at timestamptz,
     foreign key (organization_id, endpoint_id) references webhook_endpoints (organization_id, id) on delete cascade)`,
  'create index webhook_replays_endpoint on webhook_replays (organization_id, endpoint_id)',
  `create index webhook_replays_ended on webhook_replays (finished_at) where state = 'ended'`,
  ...manyRowsEach('webhook_replays'),
];

const failedFrom = (state: string, ...tables: string[]) =>
  tables.map(
    (table) => `
      update ${table}
         set state = 'failed'
       where state = '${state}'`,
  );

const undo = [
  ...failedFrom('paused', 'jobs'),
  ...failedFrom('cancelled', 'webhook_deliveries', 'contact_imports', 'contact_exports'),
  'drop table webhook_replays',
  'drop index jobs_operations_name',
  'drop index jobs_operations',
  'alter table webhook_deliveries drop column asked_by, drop column asked_after',
  ...endedFiles('succeeded', 'failed'),
  ...statesOf('contact_exports', exports),
  ...statesOf('contact_imports', imports),
  ...statesOf('jobs', jobs),
  ...statesOf('webhook_deliveries', deliveries),
];
