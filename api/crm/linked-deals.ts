import type { DealRow } from '../../src/deals/deal-row.ts';
import type { LinkedPage } from '../../src/deals/links/linked.ts';
import type { Own } from '../../src/platform/database/own.ts';
import { bindingOf, cursorOf, positionIn } from '../../src/platform/listing/cursor.ts';
import { ok, type Reply } from '../http/endpoint.ts';
import { type PageQuery, pageFrom } from '../http/paging.ts';
import { type Reading, toDealViews } from './deal-schemas.ts';

/** A page of deals that something is linked to. `list`: what its cursors are of. */
export async function linkedReply(
  own: Own,
  list: string[],
  query: PageQuery & Reading,
  read: (page: LinkedPage) => Promise<{ rows: DealRow[]; total?: number }>,
): Promise<Reply> {
  const { limit, cursor, include_total: includeTotal } = query;
  const binding = bindingOf(list);
  const [afterId] = cursor === undefined ? [] : positionIn(cursor, binding, ['id']);
  const found = await read({ limit, afterId, includeTotal });
  const { rows, meta } = pageFrom(query, found.rows, ({ id }) => cursorOf(binding, [id]), found.total);
  return ok({ items: await toDealViews(own, rows, query.display_currency), meta });
}
