import type { FileUpload } from './files/uploads.ts';
import type { Failure, Told } from './message.entity.ts';
import type { AttemptTrigger } from './message-attempt.entity.ts';
import { calledOff } from './schedule-job.ts';
import {
  type Recorded,
  type TimelineAttempt,
  type TimelineEvent,
  type TimelineJob,
  type TimelineMessage,
  type TimelineWebhook,
  typingJob,
} from './timeline.ts';

/** In the order in which entries of one moment stand. */
export const entryKinds = [
  'received',
  'accepted',
  'queued',
  'uploaded',
  'attempt',
  'answer',
  'status',
  'failed',
  'cancelled',
  'retried',
  'updated',
  'marked_read',
  'webhook',
] as const;

export type EntryAttempt = Omit<TimelineAttempt, 'started_at' | 'retried_at' | 'outcome'> & {
  /** `running`: the provider has not answered yet. */
  outcome: TimelineAttempt['outcome'] | 'running';
};
export type EntryStatus = { status: string; by: 'provider' | 'kanal'; pricing: Told[string]['pricing'] | null };

export type Entry = { at: string } & (
  | { kind: 'accepted' | 'cancelled' | 'retried' }
  | { kind: 'received'; providerAt: string | null }
  | { kind: 'queued'; job: TimelineJob | undefined }
  | { kind: 'attempt'; attempt: EntryAttempt }
  | { kind: 'answer'; providerMessageId: string }
  | { kind: 'status'; status: EntryStatus }
  | { kind: 'failed'; failure: Failure }
  | { kind: 'uploaded'; upload: FileUpload }
  | { kind: 'updated'; cause: string }
  | { kind: 'marked_read'; job: TimelineJob; isTyping: boolean }
  | { kind: 'webhook'; webhook: TimelineWebhook }
);

const ranks = ['sent', 'delivered', 'read', 'failed'];
const ms = (at: string) => Date.parse(at);

/** The entry and the moment by which it stands: the provider's times are whole seconds by another clock. */
type Placed = { entry: Entry; ms: number };
const placed = (entry: Entry): Placed => ({ entry, ms: ms(entry.at) });

/** What became of a message, in order of time; each status of a send once. */
export function entriesOf(recorded: Recorded): Entry[] {
  const { message, attempts, job, reads, uploads, events, webhooks } = recorded;
  const sending = sendingOf(message, attempts, lastSent(events, message));
  const all = [
    ...bornOf(message, job),
    ...attempts.flatMap(attemptEntries),
    ...sending,
    ...statusesOf(message, events, sending),
    ...failureOf(message, events),
    ...uploads.map((upload): Entry => ({ at: upload.uploaded_at, kind: 'uploaded', upload })).map(placed),
    ...updatesOf(events),
    ...reads.map(readEntry),
    ...webhooks.map((webhook): Entry => ({ at: webhook.created_at, kind: 'webhook', webhook })).map(placed),
  ];
  const places = new Map(entryKinds.map((kind, place) => [kind as string, place]));
  const placeOf = ({ kind }: Entry) => places.get(kind)!;
  return all.sort((one, other) => one.ms - other.ms || placeOf(one.entry) - placeOf(other.entry)).map(({ entry }) => entry);
}

/** One that the provider reported, of the phone app too, has the provider's time. */
function bornOf({ direction, provider_at, created_at }: TimelineMessage, job: TimelineJob | undefined): Placed[] {
  if (direction === 'inbound' || provider_at !== null)
    return [placed({ at: created_at, kind: 'received', providerAt: provider_at })];
  return [placed({ at: created_at, kind: 'accepted' }), placed({ at: created_at, kind: 'queued', job })];
}

function attemptEntries({ started_at, retried_at, ...attempt }: TimelineAttempt): Placed[] {
  return [
    placed({ at: started_at, kind: 'attempt', attempt }),
    ...(retried_at === null ? [] : [placed({ at: retried_at, kind: 'retried' })]),
  ];
}

/** When the provider's answer, or a status that was faster, was written down: of the last send. */
function lastSent(events: TimelineEvent[], { sending_at }: TimelineMessage): string | undefined {
  const sent = events.filter(({ type }) => type === 'message.sent').at(-1);
  return sent && sending_at !== null && ms(sent.created_at) >= ms(sending_at) ? sent.created_at : undefined;
}

/** The try that the message itself tells of: the one that passed, or is being made. */
function sendingOf(message: TimelineMessage, attempts: TimelineAttempt[], answeredAt: string | undefined): Placed[] {
  const { sending_at: at, status, provider_message_id: providerMessageId } = message;
  if (at === null) return [];
  const isTaken = providerMessageId !== null || ranks.slice(0, 3).includes(status);
  const known = attempts.some(({ started_at }) => started_at === at);
  if (!isTaken && (known || status !== 'sending')) return [];
  const attempt: EntryAttempt = {
    number: (attempts.at(-1)?.number ?? 0) + 1,
    trigger: triggerOf(message, attempts),
    outcome: isTaken ? 'accepted' : 'running',
    error_class: null,
    provider_code: null,
    reason: '',
    duration_ms: isTaken && answeredAt ? ms(answeredAt) - ms(at) : null,
    job_id: null,
    run: null,
  };
  return [
    ...(known ? [] : [placed({ at, kind: 'attempt', attempt })]),
    ...(isTaken ? [placed({ at: answeredAt ?? at, kind: 'answer', providerMessageId: providerMessageId ?? '' })] : []),
  ];
}

function triggerOf({ resends }: TimelineMessage, attempts: TimelineAttempt[]): AttemptTrigger {
  if (resends > 0) return 'resend';
  const last = attempts.at(-1);
  if (!last) return 'first';
  return last.retried_at === null ? 'schedule' : 'retry';
}

/** Of an earlier send they stand behind its number: `1:sent`. What the webhooks of the provider did not tell, our events may. */
function statusesOf(message: TimelineMessage, events: TimelineEvent[], sending: Placed[]): Placed[] {
  const { told, direction, created_at } = message;
  if (direction === 'inbound') return [];
  const answered = sending.at(-1)?.ms ?? 0;
  const fromProvider = Object.entries(told ?? {}).map(([key, { at, pricing = null }]): Placed => {
    const status = key.slice(key.indexOf(':') + 1);
    const entry: Entry = { at, kind: 'status', status: { status, by: 'provider', pricing } };
    return { entry, ms: Math.max(ms(at), ms(created_at), status === key ? answered : 0) };
  });
  const known = new Set(fromProvider.map(({ entry }) => (entry as Entry & { kind: 'status' }).status.status));
  const others = events.filter(({ type, status }) => {
    if (type !== 'message.status_update' || status === 'sent' || status === 'failed' || !status || known.has(status))
      return false;
    known.add(status);
    return true;
  });
  const fromEvents = others.map(({ created_at: at, status }) =>
    placed({ at, kind: 'status', status: { status: status!, by: 'kanal', pricing: null } }),
  );
  const rankOf = ({ entry }: Placed) => ranks.indexOf((entry as Entry & { kind: 'status' }).status.status);
  return [...fromProvider, ...fromEvents].sort((one, other) => rankOf(one) - rankOf(other));
}

/** Edits, deletions and the fetch of a received file. */
const updatesOf = (events: TimelineEvent[]): Placed[] =>
  events.flatMap(({ type, cause, created_at: at }) =>
    type === 'message.updated' && cause ? [placed({ at, kind: 'updated', cause })] : [],
  );

const readEntry = (job: TimelineJob): Placed =>
  placed({ at: job.finished_at ?? job.created_at, kind: 'marked_read', job, isTyping: job.name === typingJob });

function failureOf({ failure, updated_at }: TimelineMessage, events: TimelineEvent[]): Placed[] {
  if (!failure) return [];
  const told = events.filter(({ type }) => type === 'message.failed').at(-1);
  const at = told?.created_at ?? updated_at;
  return [placed(failure.code === calledOff ? { at, kind: 'cancelled' } : { at, kind: 'failed', failure })];
}
