import type { Campaign } from '../../src/campaigns/campaign.entity.ts';
import type { Channel } from '../../src/channels/channel.entity.ts';
import { type Permission, permissionColumns } from '../../src/contacts/permission/permission.ts';
import type { Message } from '../../src/messaging/message.entity.ts';
import { sentEvents } from '../../src/messaging/settle.ts';
import type { Source } from '../../src/platform/database/database.ts';
import type { Own } from '../../src/platform/database/own.ts';
import { query } from '../../src/platform/database/query.ts';
import type { RowOf } from '../../src/platform/database/tables.ts';
import { isHeard } from '../../src/platform/events/record.ts';
import { isPaced, mayRunNow, paceParts, type Turn } from '../../src/platform/ledger/pace.ts';
import { type RunRow, runColumns } from '../../src/platform/ledger/run.ts';
import type { RunRef } from '../../src/platform/ledger/tx.ts';
import type { Claimed } from '../handler.ts';

/** Without contact and addresses: the contact was erased. */
export type Claim = Permission &
  RowOf<
    typeof Message,
    | 'contact_id'
    | 'campaign_id'
    | 'origin'
    | 'type'
    | 'content'
    | 'to_phone'
    | 'to_user_id'
    | 'context_id'
    | 'resends'
    | 'channel_id'
    | 'conversation_id'
  > &
  RowOf<typeof Channel, 'phone_number_id' | 'account_id' | 'access_token'> & {
    message_id: string;
    /** As text: a Date has no microseconds. */
    claimed_at: string;
    is_heard: boolean;
    is_deleted: boolean;
    /** Its template has a button that opens a flow. */
    has_flow_button: boolean;
    /** That of its message; null: of none, or of one that is gone. `zone`: of the recipient; `is_second`: it writes to the person with another message. */
    campaign: (RowOf<typeof Campaign, 'status' | 'purpose' | 'schedule'> & { zone: string | null; is_second: boolean }) | null;
  };

type OfTemplate = 'category' | 'has_flow_button';
type ClaimRow = Omit<Claim, OfTemplate> & { template: Pick<Claim, OfTemplate> | null };

const claimOf = (row: ClaimRow): Claim => ({ ...row, ...(row.template ?? { category: null, has_flow_button: false }) });

const permission = permissionColumns({
  organization: 'm.organization_id',
  contact: 'm.contact_id',
  channel: 'm.channel_id',
});
const claimColumns = `
  m.id as message_id, m.sending_at::text as claimed_at, m.contact_id, m.campaign_id, m.origin, m.type, m.content, m.to_phone, m.to_user_id, m.context_id,
  m.resends,
  m.channel_id, m.conversation_id, c.phone_number_id, c.account_id, c.access_token, c.deleted_at is not null as is_deleted,
  case when m.type = 'template'
       then known_template(m.organization_id, m.channel_id, m.content->>'name', m.content->>'language') end as template,
  case when m.campaign_id is not null then campaign_of_message(m.organization_id, m.campaign_id, m.id) end as campaign,
  ${isHeard('$1', ...sentEvents)} as is_heard,
  ${permission}`;

const isUnsent = `exists (
  select 1 from messages o
   where o.organization_id = j.organization_id and o.id = j.subject_id and o.status = 'queued')`;

/** SQL: checks the run and its pool's pace, claims the message and reads all that a send needs (bench: send). */
const claimStatement = `
  with ${paceParts(isUnsent, { freesRoom: true })},
  claimed as (
    update messages m
       set status = 'sending', sending_at = clock_timestamp(), updated_at = clock_timestamp()
      from jobs j left join pools p on p.organization_id = j.organization_id and p.id = j.pool, channels c
     where j.organization_id = $1 and j.id = $2 and j.run = $3 and ${mayRunNow} and ${isPaced}
       and m.organization_id = $1 and m.id = j.subject_id and m.status = 'queued'
       and c.organization_id = $1 and c.id = m.channel_id
    returning ${runColumns}, ${claimColumns})
  select claimed.*, (select wait_ms from turn) as wait_ms
    from (select 1) one
    left join claimed on true`;

/** Checks and claims in one statement: of two concurrent runs only one sends. */
export async function claimMessage(source: Source, { organization_id, id, run }: RunRef): Promise<Claimed<Claim>> {
  const [row] = await query<(RunRow & ClaimRow & Turn) | ({ id: null } & Turn)>(source, claimStatement, [
    organization_id,
    id,
    run,
  ]);
  if (row!.id !== null) return { row: row!, claimed: claimOf(row!) };
  return row!.wait_ms === null ? undefined : { waitMs: row!.wait_ms };
}

export async function claimResend(own: Own, messageId: string, resends: number): Promise<Claim | undefined> {
  // SQL: claims and reads in one statement, as above.
  const [row] = await own.sql<ClaimRow>(
    `update messages m
        set sending_at = clock_timestamp(), resends = m.resends + 1, updated_at = clock_timestamp()
       from channels c
      where m.organization_id = $1 and m.id = $2 and m.status = 'sending' and m.resends = $3
        and c.organization_id = $1 and c.id = m.channel_id
     returning ${claimColumns}`,
    [messageId, resends],
  );
  return row && claimOf(row);
}

/** How long a message has been `sending`, by the database's clock. */
export async function sendingState(own: Own, messageId: string) {
  // SQL: by the database's clock.
  const [row] = await own.sql<RowOf<typeof Message, 'status' | 'resends'> & { age_ms: number }>(
    `select m.status, m.resends, coalesce(extract(epoch from clock_timestamp() - m.sending_at) * 1000, 0)::float8 as age_ms
       from messages m
      where m.organization_id = $1 and m.id = $2`,
    [messageId],
  );
  return row;
}
