import type { Own } from '../../platform/database/own.ts';
import type { Transact } from '../../platform/ledger/transact.ts';
import type { Remains } from './erase.ts';

const batch = 200;

/** And `data`: what a system told of the person (`automation.event`). */
const personalFields = ['name', 'from_phone', 'reason', 'response', 'client_token'];

/** SQL (all of this file): a batch of events and the answers to their deliveries (the webhooks' tables) in one statement. */
const seen = `
  seen as materialized (
    select id, seq
      from events
     where organization_id = $1
       and subject_id = $2
       and seq > $3
     order by seq
     limit $4)`;
const emptied = `
  emptied as (
    update webhook_attempts a
       set response_head = null
      from webhook_deliveries d
     where d.organization_id = $1
       and d.event_id = any(array(select id from seen))
       and a.organization_id = $1
       and a.delivery_id = d.id
       and a.response_head is not null)`;
const read = `
  (select count(*)::int from seen) as seen,
  (select seq from seen order by seq desc limit 1) as last`;

const scrubBatch = `
  with ${seen},
  scrubbed as (
    update events e
       set data = e.data
             || coalesce((select jsonb_object_agg(f, '') from unnest($5::text[]) f where e.data ? f), '{}')
             || case when e.data ? 'data' then '{"data": {}}' else '{}' end::jsonb
     where e.organization_id = $1
       and e.id = any(array(select id from seen))
       and (exists (select 1 from unnest($5::text[]) f where coalesce(e.data->>f, '') <> '') or e.data->'data' <> '{}')
    returning 1),
  ${emptied}
  select ${read},
         (select count(*)::int from scrubbed) as changed`;

/** Of what was also the person's: its events have ids alone, and it may be somebody else's, too. */
const emptyBatch = `
  with ${seen},
  ${emptied}
  select ${read}, 0 as changed`;

type Scrubbed = { seen: number; last: string | null; changed: number };

/** Deletes receivers' answers too: they may repeat the event, or what was read about it. Returns the changed events: an old delivery may be under way. */
export async function scrubEvents(transact: Transact, own: Own, remains: Remains): Promise<number> {
  const { ids, conversations, orders = [], deals, tasks, goneTasks, records } = remains;
  const inBatches = async (subject: string, statement: string, more: unknown[] = []) => {
    let changed = 0;
    for (let after = '0', isMore = true; isMore; ) {
      const params = [subject, after, batch, ...more];
      const [row] = await transact({}, (tx) => tx.of(own.organizationId).sql<Scrubbed>(statement, params));
      isMore = row!.seen === batch;
      after = row!.last ?? after;
      changed += row!.changed;
    }
    return changed;
  };
  let changed = 0;
  for (const subject of [...ids, ...conversations]) changed += await inBatches(subject, scrubBatch, [personalFields]);
  for (const subject of [...orders, ...deals, ...tasks, ...goneTasks.map(({ id }) => id), ...records])
    await inBatches(subject, emptyBatch);
  return changed;
}
