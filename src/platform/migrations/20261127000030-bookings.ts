import { Migration } from '@mikro-orm/migrations';
import { manyRowsEach, organization, tenant, times } from './columns.ts';

/** Services that can be booked, who does them, when, and what the calendar and the video service know of it. */
export class Bookings extends Migration {
  override name = '20261127000030-bookings';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    for (const statement of down) this.addSql(statement);
  }
}

const up = [
  'create extension if not exists btree_gist',

  `create table services (
     ${tenant},
     name text not null,
     duration_minutes int not null check (duration_minutes > 0),
     buffer_before int not null default 0,
     buffer_after int not null default 0,
     step_minutes int not null default 30,
     lead_minutes int not null default 0,
     horizon_days int not null default 60,
     cancel_until_minutes int not null default 0,
     conference text not null default 'none' check (conference in ('none', 'calendar', 'video')),
     location text not null default '',
     active boolean not null default true,
     ${times})`,
  'create index services_list on services (organization_id, created_at, id)',
  `alter table product_variants add constraint product_variants_service
     foreign key (organization_id, service_id) references services (organization_id, id)`,
  'create index product_variants_service on product_variants (organization_id, service_id) where service_id is not null',

  `create table staff (
     ${tenant},
     name text not null,
     email text not null default '',
     timezone text not null,
     calendar_connection_id uuid,
     calendar_id text,
     video_connection_id uuid,
     weekly_hours jsonb not null default '[]',
     overrides jsonb not null default '[]',
     reads_busy boolean not null default false,
     busy_copied_at timestamptz,
     next_copy_at timestamptz not null default clock_timestamp(),
     active boolean not null default true,
     ${times},
     check ((calendar_connection_id is null) = (calendar_id is null)),
     foreign key (organization_id, calendar_connection_id) references connections (organization_id, id),
     foreign key (organization_id, video_connection_id) references connections (organization_id, id))`,
  'create index staff_list on staff (organization_id, created_at, id)',
  'create index staff_busy_due on staff (next_copy_at) where reads_busy and active',

  `create table service_staff (
     ${organization},
     service_id uuid not null,
     staff_id uuid not null,
     position int not null default 0,
     constraint service_staff_pkey primary key (organization_id, service_id, staff_id),
     foreign key (organization_id, service_id) references services (organization_id, id) on delete cascade,
     foreign key (organization_id, staff_id) references staff (organization_id, id) on delete cascade)`,
  'create index service_staff_staff on service_staff (organization_id, staff_id)',

  // Copied from the calendar of who wants it.
  `create table staff_busy (
     ${organization},
     staff_id uuid not null,
     during tstzrange not null,
     constraint staff_busy_pkey primary key (organization_id, staff_id, during),
     foreign key (organization_id, staff_id) references staff (organization_id, id) on delete cascade)`,

  // during: from the start to the end, the service's buffers inside. checkin_token_hash: the token itself is not kept.
  // Held before its order is written, which comes last with its number.
  `create table bookings (
     ${tenant},
     order_id uuid not null,
     service_id uuid not null,
     staff_id uuid not null,
     contact_id uuid,
     status text not null default 'held' check (status in ('held', 'confirmed', 'checked_in', 'completed', 'no_show', 'cancelled')),
     mode text not null default 'in_person' check (mode in ('in_person', 'video', 'phone')),
     source text not null default 'api' check (source in ('checkout', 'api', 'staff', 'customer')),
     starts_at timestamptz not null,
     ends_at timestamptz not null,
     during tstzrange not null,
     timezone text not null,
     conference text not null default '',
     checkin_token_hash text,
     checked_in_at timestamptz,
     schedule_updated_at timestamptz not null default clock_timestamp(),
     ${times},
     check (ends_at > starts_at),
     constraint bookings_order unique (organization_id, order_id),
     constraint bookings_checkin unique (organization_id, checkin_token_hash),
     constraint bookings_no_overlap exclude using gist (organization_id with =, staff_id with =, during with &&)
       where (status in ('held', 'confirmed', 'checked_in')),
     foreign key (organization_id, order_id) references orders (organization_id, id) on delete cascade deferrable initially deferred,
     foreign key (organization_id, service_id) references services (organization_id, id),
     foreign key (organization_id, staff_id) references staff (organization_id, id),
     foreign key (organization_id, contact_id) references contacts (organization_id, id) on delete set null (contact_id))`,
  'create index bookings_list on bookings (organization_id, starts_at, id)',
  'create index bookings_status on bookings (organization_id, status, starts_at, id)',
  'create index bookings_staff on bookings (organization_id, staff_id, starts_at, id)',
  'create index bookings_service on bookings (organization_id, service_id, starts_at, id)',
  'create index bookings_contact on bookings (organization_id, contact_id, starts_at, id)',

  // What the calendar is to show, what it shows, and where. wanted, synced: numbers of the wish; while they differ a job runs.
  // earlier: entries in other calendars, to be deleted there.
  `create table booking_calendars (
     ${organization},
     booking_id uuid not null,
     status text not null default 'pending' check (status in ('pending', 'synced', 'failed', 'skipped')),
     error text not null default '',
     wanted bigint not null default 1,
     synced bigint not null default 0,
     connection_id uuid,
     calendar_id text,
     generation int not null default 0,
     event_id text,
     etag text,
     event_url text not null default '',
     meet_url text not null default '',
     conference_asked_at timestamptz,
     earlier jsonb not null default '[]',
     video_connection_id uuid,
     video_meeting_id text,
     video_url text not null default '',
     video_asked_at timestamptz,
     last_synced_at timestamptz,
     pending_since timestamptz default clock_timestamp(),
     ${times},
     constraint booking_calendars_pkey primary key (organization_id, booking_id),
     foreign key (organization_id, booking_id) references bookings (organization_id, id) on delete cascade,
     foreign key (organization_id, connection_id) references connections (organization_id, id),
     foreign key (organization_id, video_connection_id) references connections (organization_id, id))`,
  `create index booking_calendars_open on booking_calendars (pending_since) where status = 'pending'`,

  ...manyRowsEach('services', 'staff', 'service_staff', 'staff_busy', 'bookings', 'booking_calendars'),
];

const down = [
  'drop table booking_calendars',
  'drop table bookings',
  'drop table staff_busy',
  'drop table service_staff',
  'drop table staff',
  'drop index product_variants_service',
  'alter table product_variants drop constraint product_variants_service',
  'drop table services',
  'drop extension btree_gist',
];
