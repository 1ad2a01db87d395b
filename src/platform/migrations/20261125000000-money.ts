import { Migration } from '@mikro-orm/migrations';
import { created, manyRowsEach, organization } from './columns.ts';

/** Currencies of an organization, and its exchange rates. */
export class Money extends Migration {
  override name = '20261125000000-money';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    for (const statement of down) this.addSql(statement);
  }
}

const up = [
  `alter table organizations
     add column timezone text not null default 'UTC',
     add column home_currency text not null default 'USD',
     add column display_currency text,
     add column rates_due_at timestamptz not null default clock_timestamp()`,
  'create index organizations_rates_due on organizations (rates_due_at)',

  // How much of `quote` one unit of `base` is worth, from that time on. Rows are only added.
  `create table exchange_rates (
     ${organization},
     base text not null,
     quote text not null,
     effective_at timestamptz not null,
     rate numeric(24, 12) not null check (rate > 0),
     source text not null,
     ${created},
     constraint exchange_rates_pkey primary key (organization_id, base, quote, effective_at),
     check (base <> quote))`,
  'create index exchange_rates_list on exchange_rates (organization_id, effective_at, base, quote)',

  ...manyRowsEach('exchange_rates'),
];

const down = [
  'drop table exchange_rates',
  `alter table organizations
     drop column rates_due_at,
     drop column display_currency,
     drop column home_currency,
     drop column timezone`,
];
