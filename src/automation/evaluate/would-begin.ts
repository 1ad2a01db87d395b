import type { Own } from '../../platform/database/own.ts';
import { idIn } from '../conditions/event-row.ts';
import type { Definition } from '../definition/definition.ts';
import { type EvaluatedEvent, triggeredBy } from './event.ts';
import { foldedWords } from './keyword.ts';

type Happened = Pick<EvaluatedEvent, 'type' | 'data'>;
type Said = Pick<EvaluatedEvent, 'words' | 'message_type' | 'content'> & { keywords: string[] };

/** SQL: at most a row, of the message; keywords are folded as the database folds. */
const saidStatement = `
  select m.type as message_type, m.content, ${foldedWords('m')} as words,
         array(
           select fold(k.word)
             from jsonb_array_elements_text($3::jsonb) with ordinality as k(word, place)
            order by k.place) as keywords
    from messages m
   where m.organization_id = $1
     and m.id = $2::uuid`;

/** Whether the trigger of a definition that may never have been published begins with the event, its conditions aside: what `triggeredBy` says of a published one. */
export async function wouldBegin(own: Own, event: Happened, definition: Definition, stopWords: string[]): Promise<boolean> {
  const { trigger } = definition;
  const isSaid = trigger.type === 'keyword' && event.type === 'message.new';
  const [said] = isSaid ? await own.sql<Said>(saidStatement, [idIn(event, 'message_id'), JSON.stringify(trigger.keywords)]) : [];
  const { keywords, ...message } = said ?? { keywords: [], words: null, message_type: null, content: null };
  const asked = { ...event, ...message } as EvaluatedEvent;
  return triggeredBy(asked, { definition, keywords, roots: new Set() }, stopWords) !== undefined;
}
