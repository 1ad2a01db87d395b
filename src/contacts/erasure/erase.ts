import { deleteAsset, deleteAssetsOfContact } from '../../media/remove.ts';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { conversationLane } from '../../platform/ledger/locks.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { Contact } from '../contact.entity.ts';
import { contactLock, emitDeleted } from '../events.ts';
import type { Identity } from '../identities/identity.ts';
import { ContactMerge } from '../merging/merge.entity.ts';
import { rememberSuppressed } from '../permission/suppressed-addresses.ts';
import { contactNotFound } from '../queries.ts';
import { noteLinksEnd } from '../record-links.ts';
import { leaveDeals } from './erase-deals.ts';
import { blankOrdersOf } from './erase-orders.ts';
import { leaveCampaigns } from './erase-recipients.ts';
import { leaveRuns } from './erase-runs.ts';
import { eraseTasks, type TaskRemains } from './erase-tasks.ts';
import { ContactErasure } from './erasure.entity.ts';
import { eraseContactJob } from './jobs.ts';
import { recordsLinkedTo } from './linked.ts';

/** SQL: conversations are messaging's table, which contacts must not import. */
const conversationsOfContact = `
  select id
    from conversations
   where organization_id = $1
     and contact_id = $2`;

export async function conversationsOf(own: Own, contactId: string): Promise<string[]> {
  const rows = await own.sql<{ id: string }>(conversationsOfContact, [contactId]);
  return rows.map(({ id }) => id);
}

export const eraseLocks = (contactId: string, conversations: string[]) => [
  contactLock(contactId),
  ...conversations.map(conversationLane),
];

const contactForUpdate = statement((select, { id }: { id: string }) =>
  select(Contact).select('id').where('id', '=', id).forUpdate(),
);
const mergedInto = statement((select, { id }: { id: string }) =>
  select(ContactMerge).select(['merged_id', 'gone_conversations']).where('contact_id', '=', id),
);

/** Messages are kept without personal data. Returns the contact's id and the ids merged into it. Needs `eraseLocks`. */
export async function eraseContact(tx: OwnTx, secrets: Secrets, id: string): Promise<string[]> {
  tx.assertLocked(contactLock(id));
  // Other writers wait for this row, and then find no contact to refer to.
  const found = await contactForUpdate(tx, { id });
  if (found.length === 0) throw await contactNotFound(tx, id);
  const conversations = await conversationsOf(tx, id);
  for (const lock of eraseLocks(id, conversations)) tx.assertLocked(lock);
  const identities = await tx.sql<Identity>(addressesOfContact, [id]);
  const merged = await mergedInto(tx, { id });
  const records = await recordsLinkedTo(tx, id, conversations);
  const ids = [id, ...merged.map(({ merged_id }) => merged_id)];
  await rememberSuppressed(tx, secrets, id, identities);
  const deals = await leaveDeals(tx, id, conversations);
  const tasks = await eraseTasks(tx, id, { conversations, deals });
  await leaveCampaigns(tx, id);
  const ended = merged.flatMap(({ gone_conversations }) => gone_conversations);
  await leaveRuns(tx, id, [...ids, ...conversations, ...ended]);
  await tx.sql(blankAttempts, [id]);
  await tx.sql(blankTokens, [id]);
  await tx.sql(blankGroups, [id]);
  await tx.sql(blankMessages, [id]);
  await tx.sql(dropNotes, [conversations]);
  const { orders, uploads, buyers } = await blankOrdersOf(tx, id);
  for (const upload of uploads) await deleteAsset(tx, upload);
  await deleteAssetsOfContact(tx, id);
  await tx.sql(blankConversations, [id]);
  await searchLater(tx, secrets, {
    ids,
    conversations: [...conversations, ...ended],
    identities,
    records,
    deals,
    orders,
    buyers,
    ...tasks,
  });
  await noteLinksEnd(tx, id);
  await tx.delete(Contact, { id });
  emitDeleted(tx, id);
  return ids;
}

/** SQL: the addresses of two tables: the contact's identities and its blocks. */
const addressesOfContact = `
  select type, source, value
    from contact_identities
   where organization_id = $1
     and contact_id = $2
  union
  select x.type, '', x.value
    from contact_blocks b,
         lateral (values ('phone', b.phone), ('messaging_app_id', b.user_id)) as x(type, value)
   where b.organization_id = $1
     and b.contact_id = $2
     and x.value <> ''`;

/** SQL: messaging's tables. The provider's words of a try may name the person. */
const blankAttempts = `
  update message_attempts
     set reason = ''
   where organization_id = $1
     and reason <> ''
     and message_id = any(array(
           select id
             from messages
            where organization_id = $1
              and contact_id = $2))`;

/** SQL: the table of flows, which stand above contacts. The client's token may name the person; the send stays, for the flow's counts. */
const blankTokens = `
  update flow_sends
     set client_token = null
   where organization_id = $1
     and client_token is not null
     and message_id = any(array(
           select id
             from messages
            where organization_id = $1
              and contact_id = $2))`;

/**
 * SQL: messaging's table. Keeps the person's text; removes what names a file, the provider's ids, which contain the address, its words,
 * which may name the person, and the advertisement that the person came from, whose click id is theirs. Answers to a flow are not kept, nor
 * what a message filled into one: a form asks for what is personal. Nor what a campaign filled into its template: fields of the contact.
 */
const blankMessages = `
  update messages
     set contact_id = null,
         to_phone = '',
         to_user_id = '',
         from_phone = '',
         provider_message_id = null,
         superseded_ids = '{}',
         context_id = null,
         context_message_id = null,
         failure = failure || '{"message": "Removed with the contact"}',
         content = (case type
           when 'system' then jsonb_build_object('type', content->'type')
           when 'reaction' then content - 'message_id'
           when 'edit' then content - 'original_message_id' #- '{message,context}'
           when 'revoke' then content - 'original_message_id'
           when 'interactive' then case content->>'type'
             when 'nfm_reply' then '{"type": "nfm_reply", "nfm_reply": {"name": "flow"}}'
             when 'flow' then content #- '{action,parameters,flow_token}' #- '{action,parameters,flow_action_payload,data}'
             else content end
           when 'template' then case when campaign_id is not null then content || '{"components": []}'
             when jsonb_typeof(content->'components') = 'array'
             then jsonb_set(content, '{components}', (
                    select coalesce(jsonb_agg(case when lower(c.part->>'sub_type') = 'flow' then c.part - 'parameters' else c.part end
                                              order by c.place), '[]')
                      from jsonb_array_elements(content->'components') with ordinality as c(part, place)))
             else content end
           else case when content ? 'media'
             then content - '{asset_id,filename,id,sha256,url}'::text[] || '{"media": {"status": "gone"}}'
             else content end
           end) - '{referral,errors,context_from,identity}'::text[]
             #- '{raw,from}' #- '{raw,from_user_id}' #- '{raw,to}' #- '{raw,to_user_id}' #- '{raw,id}' #- '{raw,context}'
             #- '{raw,referral}' #- '{raw,errors}' #- '{raw,identity}'
   where organization_id = $1
     and contact_id = $2`;

/** SQL: messaging's table. Before the messages are blanked: a group's preview may be what the person wrote. */
const blankGroups = `
  update conversations
     set preview = '', updated_at = clock_timestamp()
   where organization_id = $1
     and group_id <> ''
     and preview <> ''
     and id = any(array(
           select conversation_id
             from messages
            where organization_id = $1
              and contact_id = $2))`;

/** SQL: messaging's table. What the team wrote about the person. */
const dropNotes = `
  delete from conversation_notes
   where organization_id = $1
     and conversation_id = any($2::uuid[])`;

/** SQL: messaging's table. */
const blankConversations = `
  update conversations
     set contact_id = null,
         preview = '',
         unread_count = 0,
         custom_fields = '{}',
         profile_name = '',
         profile_username = '',
         profile_phone = '',
         profile_user_id = '',
         updated_at = clock_timestamp()
   where organization_id = $1
     and contact_id = $2`;

/** What the job searches for. Stored encrypted, and deleted when the job ends. */
export type Remains = TaskRemains & {
  ids: string[];
  deals: string[];
  /** Missing: the erasure is from before there were orders. */
  orders?: string[];
  /** Addresses of those orders: only bodies of connections are searched for them. Missing: as `orders`. */
  buyers?: Identity[];
  conversations: string[];
  identities: Identity[];
  records: string[];
  /** What holds or held an address, as its history tells, and the place that was reached there; null: its end. Missing: not begun. */
  history?: { after: { object_id: string; revision: number } | null; deals: string[]; tasks: string[]; records: string[] };
};

async function searchLater(tx: OwnTx, secrets: Secrets, remains: Remains) {
  const id = uuidv7();
  await tx.insert(ContactErasure, { id, erased_id: remains.ids[0]!, addresses: secrets.seal(JSON.stringify(remains)) });
  tx.enqueue(eraseContactJob, { erasure_id: id });
}
