import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import type { Event } from '../platform/events/event.entity.ts';
import { seqSince } from '../platform/events/list.ts';
import { Job } from '../platform/ledger/jobs.entity.ts';
import { maxAttempts } from './attempts.ts';
import { namedFiles } from './files/named.ts';
import { type FileUpload, uploadsOf } from './files/uploads.ts';
import { markReadJob, sendMessageJob, showTypingJob } from './jobs.ts';
import { Message } from './message.entity.ts';
import { MessageAttempt } from './message-attempt.entity.ts';
import { sendLaterJob } from './schedule-job.ts';

/** Events of its conversation that are looked at for those of the message: a conversation may go on for years. */
export const maxEvents = 1_000;
export const maxDeliveries = 200;
/** Operations that told the provider that a message was read. */
export const maxReads = 50;

const messageColumns = [
  'id',
  'conversation_id',
  'channel_id',
  'direction',
  'type',
  'content',
  'status',
  'provider_message_id',
  'failure',
  'sending_at',
  'resends',
  'told',
  'provider_at',
  'created_at',
  'updated_at',
] as const;
export type TimelineMessage = RowOf<typeof Message, (typeof messageColumns)[number]>;

const attemptColumns = [
  'number',
  'trigger',
  'outcome',
  'error_class',
  'provider_code',
  'reason',
  'duration_ms',
  'job_id',
  'run',
  'started_at',
  'retried_at',
] as const;
export type TimelineAttempt = RowOf<typeof MessageAttempt, (typeof attemptColumns)[number]>;

const jobColumns = ['id', 'name', 'state', 'run', 'run_at', 'created_at', 'finished_at'] as const;
export type TimelineJob = RowOf<typeof Job, (typeof jobColumns)[number]>;

export type TimelineWebhook = {
  id: string;
  endpoint_id: string;
  state: string;
  event_id: string;
  event_type: string;
  created_at: string;
};
export type TimelineEvent = RowOf<typeof Event, 'id' | 'type' | 'created_at'> & { status: string | null; cause: string | null };

export type Recorded = {
  message: TimelineMessage;
  attempts: TimelineAttempt[];
  job: TimelineJob | undefined;
  /** Of a received message. */
  reads: TimelineJob[];
  /** Of the files that it names by our asset ids, where it was the first with them. */
  uploads: FileUpload[];
  events: TimelineEvent[];
  webhooks: TimelineWebhook[];
  /** Neither the events of the conversation nor the deliveries were too many. */
  isWhole: boolean;
};

const messageById = statement((select, { id }: { id: string }) => select(Message).select(messageColumns).where('id', '=', id));
const attemptsOf = statement((select, { id, max }: { id: string; max: number }) =>
  select(MessageAttempt).select(attemptColumns).where('message_id', '=', id).orderBy('number').limit(max),
);
export const typingJob = showTypingJob.name;
const jobsOf = (names: string[]) =>
  statement((select, { id }: { id: string }) =>
    select(Job).select(jobColumns).where('subject_id', '=', id).where('name', 'in', names).orderBy('created_at').limit(maxReads),
  );
const sendJobs = jobsOf([sendMessageJob.name, sendLaterJob.name]);
const readJobs = jobsOf([markReadJob.name, typingJob]);

/** SQL: the first events of the conversation since the message, by their index; only those that name it are shown. */
const eventsStatement = `
  select e.id, e.type, e.data->>'status' as status, e.data->>'cause' as cause, e.created_at,
         coalesce(e.data->>'message_id' = $4, false) as is_own
    from (select *
            from events
           where organization_id = $1 and subject_id = $2 and seq >= $3::bigint
           order by seq
           limit ${maxEvents}) e
   order by e.seq`;

/** SQL: the webhooks' table, which messaging must not import; one event after the other. */
const deliveriesStatement = `
  select d.id, d.endpoint_id, d.state, d.created_at, x.id as event_id, x.type as event_type
    from unnest($2::uuid[], $3::text[]) as x(id, type),
         lateral (
           select *
             from webhook_deliveries d
            where d.organization_id = $1 and d.event_id = x.id
           offset 0) d
   order by d.created_at, d.id
   limit ${maxDeliveries + 1}`;

/** What is kept of a message in several tables. Undefined: there is no such message. */
export async function recordedOf(own: Own, id: string): Promise<Recorded | undefined> {
  const [message] = await messageById(own, { id });
  if (!message) return undefined;
  const attempts = await attemptsOf(own, { id, max: maxAttempts });
  const isInbound = message.direction === 'inbound';
  const jobs = await (isInbound ? readJobs : sendJobs)(own, { id });
  const files = isInbound ? [] : namedFiles(message.type, message.content).map(({ assetId }) => assetId);
  const since = await seqSince(own, message.created_at);
  const seen = await own.sql<TimelineEvent & { is_own: boolean }>(eventsStatement, [message.conversation_id, since, id]);
  const events = seen.filter(({ is_own }) => is_own);
  const webhooks = await own.sql<TimelineWebhook>(deliveriesStatement, [
    events.map((event) => event.id),
    events.map(({ type }) => type),
  ]);
  return {
    message,
    attempts,
    job: isInbound ? undefined : jobs[0],
    reads: isInbound ? jobs : [],
    uploads: files.length > 0 ? await uploadsOf(own, message, files) : [],
    events,
    webhooks: webhooks.slice(0, maxDeliveries),
    isWhole: seen.length < maxEvents && webhooks.length <= maxDeliveries,
  };
}
