import { isStopWord } from '../../messaging/stop-words.ts';
import type { BatchStatement } from '../../platform/database/batch.ts';
import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { Event } from '../../platform/events/event.entity.ts';
import type { AutomationRule } from '../rule.entity.ts';
import type { RunTrigger } from '../states.ts';
import type { Published, VersionRef } from './definitions.ts';
import { foldedWords, matchesKeyword } from './keyword.ts';

type EventColumns = RowOf<typeof Event, 'id' | 'type' | 'subject_type' | 'subject_id' | 'data' | 'chain'>;
export type LiveRule = VersionRef & RowOf<typeof AutomationRule, 'mode'>;
/** `words` and what follows: of a new message. `rules`: that are live and begin with its type. */
export type EvaluatedEvent = EventColumns & {
  words: string | null;
  message_type: string | null;
  content: Record<string, unknown> | null;
  rules: LiveRule[];
  is_awaited: boolean;
};

/** SQL: all that an evaluation needs to know whether there is anything to do, in one round trip. `offset 0`: one look by the message's id. */
const findWith = (id: string) => `
  select e.id, e.type, e.subject_type, e.subject_id, e.data, e.chain, m.type as message_type, m.content,
         ${foldedWords('m')} as words,
         coalesce((
           select jsonb_agg(jsonb_build_object('id', r.id, 'version', r.version, 'mode', r.mode, 'changed_at', r.updated_at) order by r.id)
             from automation_rules r
            where r.organization_id = $1 and r.event_type = e.type and r.status = 'live' and r.deleted_at is null), '[]') as rules,
         exists (
           select 1
             from automation_waits w
            where w.organization_id = $1 and w.event_type = e.type) as is_awaited
    from events e
    left join lateral (
           select type, content
             from messages
            where organization_id = $1
              and id = case when e.type = 'message.new' then (e.data->>'message_id')::uuid end
           offset 0) m on true
   where e.organization_id = $1 and e.id = ${id}`;
const findStatement = findWith('$2');
const ofJobStatement = findWith('(select j.subject_id from jobs j where j.organization_id = $1 and j.id = $2)');

/** The event of a job, to be asked together with the job's row. */
export const eventOfJob = (organizationId: string, jobId: string): BatchStatement => ({
  text: ofJobStatement,
  params: [organizationId, jobId],
});

/** Undefined once it was purged. */
export async function findEvaluated(own: Own, id: string): Promise<EvaluatedEvent | undefined> {
  const [row] = await own.sql<EvaluatedEvent>(findStatement, [id]);
  return row;
}

/** How a rule begins with the event; undefined: it does not. Its conditions are another question. */
export function triggeredBy(
  event: EvaluatedEvent,
  { definition, keywords }: Published,
  stopWords: string[],
): RunTrigger | undefined {
  const { trigger } = definition;
  switch (trigger.type) {
    case 'event':
      return trigger.event === event.type ? 'event' : undefined;
    case 'api':
      return event.type === 'automation.event' && event.data.name === trigger.name ? 'api' : undefined;
    case 'keyword':
      return isSaid(event, stopWords) &&
        (!trigger.channel_ids?.length || trigger.channel_ids.includes(String(event.data.channel_id))) &&
        matchesKeyword(trigger.match, keywords, event.words!)
        ? 'keyword'
        : undefined;
    default:
      return undefined;
  }
}

/** By the person, in words, and not to be left alone. */
const isSaid = ({ data, words, message_type: type, content }: EvaluatedEvent, stopWords: string[]): boolean =>
  data.direction === 'inbound' && words !== null && !isStopWord(stopWords, type!, content!);
