import type { RowOf } from '../../platform/database/tables.ts';
import { AppError } from '../../platform/errors.ts';
import { conversationUpdated } from '../../platform/events/catalogue.ts';
import { endDoneOfSubjects } from '../../platform/ledger/end-subjects.ts';
import type { Job } from '../../platform/ledger/jobs.entity.ts';
import { conversationLane } from '../../platform/ledger/locks.ts';
import { stateIs } from '../../platform/ledger/states.ts';
import { moveRecordLinks } from '../record-links.ts';
import { moveDealConversations } from './merge-deals.ts';
import { moveRunSubjects } from './merge-runs.ts';
import { moveTaskTargets } from './merge-tasks.ts';
import type { MergeTx } from './merge-tx.ts';

/* SQL: conversations and messages are messaging's tables, which contacts must not import; jobs move as sets. */

export type ConversationOfTwo = { id: string; contact_id: string; channel_id: string };
type Pair = { from: string; into: string };

/**
 * Two conversations on one channel become one; returns the ended ones. Throws LocksOutdated unless all lanes are locked,
 * 409 while the provider may have a message of one that would end.
 */
export async function mergeConversations(tx: MergeTx, conversations: ConversationOfTwo[]): Promise<string[]> {
  for (const { id } of conversations) tx.assertLocked(conversationLane(id));
  const ended: string[] = [];
  const awake: string[] = [];
  const staying = new Map(
    conversations.filter(({ contact_id }) => contact_id === tx.survivor).map(({ channel_id, id }) => [channel_id, id]),
  );
  for (const { id, contact_id, channel_id } of conversations) {
    if (contact_id === tx.survivor) continue;
    const into = staying.get(channel_id);
    if (into) {
      const { is_awake, changed } = await unite(tx, { from: id, into });
      ended.push(id);
      awake.push(id, ...(is_awake ? [into] : []));
      await emitStatus(tx, into, changed);
    } else await emitStatus(tx, id, ['contact_id']);
  }
  endDoneOfSubjects(tx, wakeJobName, awake);
  return ended;
}

/** Of messaging, whose rules contacts must not import. */
const wakeJobName = 'conversations.wake';

// SQL: tables of messaging, whose rules contacts must not import.
const moveNotes = `
  update conversation_notes
     set conversation_id = $3
   where organization_id = $1
     and conversation_id = $2
  returning 1`;
const copyTags = `
  insert into conversation_tags (organization_id, conversation_id, tag_id)
  select $1, $3, tag_id
    from conversation_tags
   where organization_id = $1
     and conversation_id = $2
  on conflict do nothing
  returning 1`;
const moveMessages = `
  update messages
     set conversation_id = $3, contact_id = $4
   where organization_id = $1
     and conversation_id = $2`;
/** Of flows; found by its contact, who may be the survivor's already. */
const moveResponses = `
  update flow_responses
     set conversation_id = $3
   where organization_id = $1
     and contact_id in ($4, $5)
     and conversation_id = $2`;
/** Who refers to it has committed before this, or finds none afterwards. */
const holdConversation = `
  select 1
    from conversations
   where organization_id = $1
     and id = $2
     for update`;
const deleteConversation = `
  delete from conversations
   where organization_id = $1
     and id = $2`;

type United = { is_awake: boolean; changed: string[] };

async function unite(tx: MergeTx, { from, into }: Pair): Promise<United> {
  await moveLane(tx, { from, into });
  await tx.sql(holdConversation, [from]);
  await tx.sql(moveMessages, [from, into, tx.survivor]);
  await tx.sql(moveResponses, [from, into, tx.survivor, tx.merged]);
  const notes = await tx.sql(moveNotes, [from, into]);
  const tags = await tx.sql(copyTags, [from, into]);
  await moveRecordLinks(tx, 'conversation', { from, into });
  await moveDealConversations(tx, { from, into });
  await moveTaskTargets(tx, 'conversation', { from, into });
  await moveRunSubjects(tx, { from, into });
  const [united] = await tx.sql<United>(takeOver, [from, into]);
  await tx.sql(deleteConversation, [from]);
  const { is_awake, changed } = united!;
  return { is_awake, changed: [...changed, ...(tags.length > 0 ? ['tags'] : []), ...(notes.length > 0 ? ['notes'] : [])] };
}

const priorities = `array['none', 'low', 'medium', 'high', 'urgent']`;
const changeOf = (column: string) => `case when old.${column} is distinct from new.${column} then '${column}' end`;
const fields = ['status', 'snoozed_until', 'assignee_id', 'priority', 'custom_fields', 'unread_count', 'preview'];

/**
 * SQL: one row from two, compared by the database. The later conversation wins. A profile is as old as the contact's last message, not as
 * Kanal's. Where one is open the other does not hide it: it sleeps on only beside one that sleeps or is resolved.
 */
const takeOver = `
  with later as (
    select coalesce(o.last_message_at, o.created_at) > coalesce(s.last_message_at, s.created_at) as is_newer,
           coalesce(o.last_inbound_at, '-infinity') > coalesce(s.last_inbound_at, '-infinity') as is_heard
      from conversations s
      join conversations o on o.organization_id = $1 and o.id = $2
     where s.organization_id = $1
       and s.id = $3)
  update conversations s
     set last_inbound_at = greatest(s.last_inbound_at, o.last_inbound_at),
         last_message_at = greatest(s.last_message_at, o.last_message_at),
         status = case
           when s.status = 'resolved' and o.status = 'snoozed' then 'open'
           when s.status = 'resolved' then o.status
           when s.status = 'snoozed' and o.status in ('open', 'pending') then o.status
           else s.status end,
         snoozed_until = case when o.status in ('snoozed', 'resolved') then s.snoozed_until end,
         unread_count = s.unread_count + o.unread_count,
         awaited_recipient_id = coalesce(s.awaited_recipient_id, o.awaited_recipient_id),
         assignee_id = coalesce(s.assignee_id, o.assignee_id),
         priority = (${priorities})[greatest(array_position(${priorities}, s.priority), array_position(${priorities}, o.priority))],
         custom_fields = o.custom_fields || s.custom_fields,
         created_at = least(s.created_at, o.created_at),
         updated_at = clock_timestamp(),
         preview = case
           when later.is_newer then coalesce(nullif(o.preview, ''), s.preview)
           else coalesce(nullif(s.preview, ''), o.preview) end,
         profile_name = case
           when later.is_heard then coalesce(nullif(o.profile_name, ''), s.profile_name)
           else coalesce(nullif(s.profile_name, ''), o.profile_name) end,
         profile_username = case
           when later.is_heard then coalesce(nullif(o.profile_username, ''), s.profile_username)
           else coalesce(nullif(s.profile_username, ''), o.profile_username) end,
         profile_phone = case
           when later.is_heard then coalesce(nullif(o.profile_phone, ''), s.profile_phone)
           else coalesce(nullif(s.profile_phone, ''), o.profile_phone) end,
         profile_user_id = case
           when later.is_heard then coalesce(nullif(o.profile_user_id, ''), s.profile_user_id)
           else coalesce(nullif(s.profile_user_id, ''), o.profile_user_id) end
    from conversations o, later
   where s.organization_id = $1
     and s.id = $3
     and o.organization_id = $1
     and o.id = $2
  returning s.snoozed_until is null as is_awake,
            array_remove(array[${fields.map(changeOf).join(', ')}], null) as changed`;

/** SQL: jobs move as a set. Two looks, each with an index of its own. */
const lockJobs = `
  select id, state, subject_id
    from jobs
   where organization_id = $1
     and id = any(array(
       select id
         from jobs
        where organization_id = $1 and lane = $2 and state in ('waiting', 'queued')
       union all
       select id
         from jobs
        where organization_id = $1 and lane = $2 and state = 'blocked'))
     and lane = $2
     and ${stateIs('state', 'blocked', 'waiting', 'queued')}
   order by seq
     for update`;

// SQL: messaging's table.
const anySending = `
  select 1
    from messages
   where organization_id = $1
     and id = any($2::uuid[])
     and status = 'sending'
   limit 1`;

// SQL: a set; whether it waits depends on the other lane.
const moveWaiting = `
  update jobs
     set lane = $3,
         state = case
           when exists (
             select 1
               from jobs h
              where h.organization_id = $1 and h.lane = $3 and h.state in ('waiting', 'queued')) then 'blocked'
           else state end
   where organization_id = $1
     and id = any($4::uuid[])
     and lane = $2
     and ${stateIs('state', 'blocked', 'waiting')}`;

/** SQL: a set. A retry runs in the lane of the conversation that its message has now. */
const moveFailed = `
  update jobs
     set lane = $3
   where organization_id = $1
     and lane = $2
     and ${stateIs('state', 'failed')}
     and subject_id = any(array(
       select id
         from messages
        where organization_id = $1 and conversation_id = $4 and status = 'failed'))`;

/** Locks the rows first, so that no fill dispatches one. A row that is dispatched or has no answer yet stays in its lane. */
async function moveLane(tx: MergeTx, { from, into }: Pair) {
  const [before, after] = [conversationLane(from), conversationLane(into)];
  const jobs = await tx.sql<RowOf<typeof Job, 'id' | 'state' | 'subject_id'>>(lockJobs, [before]);
  const sending = await tx.sql(anySending, [jobs.map(({ subject_id }) => subject_id)]);
  if (sending.length > 0 || jobs.some(({ state }) => state === 'queued'))
    throw new AppError('conflict', 'A message is being sent; try again', { retryAfterSeconds: 1 });
  await tx.sql(moveWaiting, [before, after, jobs.map(({ id }) => id)]);
  await tx.sql(moveFailed, [before, after, from]);
}

// SQL: messaging's table.
const statusOf = `
  select status
    from conversations
   where organization_id = $1
     and id = $2`;

async function emitStatus(tx: MergeTx, id: string, changed: string[]) {
  const [conversation] = await tx.sql<{ status: string }>(statusOf, [id]);
  tx.emit(conversationUpdated, { conversation_id: id, status: conversation!.status, changed });
}
