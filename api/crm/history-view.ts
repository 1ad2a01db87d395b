import Joi from 'joi';
import { type HistoryRow, listHistory } from '../../src/history/history.ts';
import type { Own } from '../../src/platform/database/own.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { bindingOf, cursorOf, positionIn } from '../../src/platform/listing/cursor.ts';
import { ok, type Reply } from '../http/endpoint.ts';
import { metaOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

export type HistoryQuery = Pick<PageQuery, 'limit' | 'cursor'>;
export const historyQuery = Joi.object<HistoryQuery>({ limit: pageQuery.limit, cursor: pageQuery.cursor });

const change = Joi.object({ from: Joi.any().required(), to: Joi.any().required() });

/** One change of a deal, a task or a record. */
export const historyView = view(
  'crm_change',
  Joi.object({
    revision: Joi.number().integer().required().description('Of the object, after the change'),
    event_id: id.allow(null).required().description('The event that told of it; null: none did'),
    actor: Joi.string().required().description('`user:<id>`, `key:<id>`, `import:<id>` or `system`'),
    changes: Joi.object()
      .pattern(Joi.string(), change)
      .required()
      .description(
        'By the names of the fields, custom fields as `custom_fields.<key>`, each as the API shows it; null: there was nothing. Links are lists, of those that went and of those that came: ids of the other ends, and for contacts of a deal the whole links',
      ),
    created_at: timestamp.required(),
  }),
  {
    revision: 2,
    event_id: exampleIds.event,
    actor: `user:${exampleIds.user}`,
    changes: { status: { from: 'open', to: 'done' } },
    created_at: exampleTime,
  },
);

const toView = ({ revision, event_id, actor, changes, created_at }: HistoryRow) => ({
  revision,
  event_id,
  actor,
  changes,
  created_at: iso(created_at),
});

/** The whole reply, newest first. */
export async function historyReply(own: Own, objectId: string, query: HistoryQuery): Promise<Reply> {
  const { limit, cursor } = query;
  const binding = bindingOf(['history', objectId]);
  const [before] = cursor === undefined ? [] : positionIn<[number]>(cursor, binding, ['line']);
  const rows = await listHistory(own, objectId, { limit, before });
  const shown = rows.slice(0, limit);
  const next = rows.length > limit ? cursorOf(binding, [shown.at(-1)!.revision]) : undefined;
  return ok({ items: shown.map(toView), meta: metaOf({ ...query, include_total: false }, next) });
}
