import type { Own } from '../database/own.ts';
import type { RowOf } from '../database/tables.ts';
import { type Ask, type Page, pageOfQuery } from '../listing/paging.ts';
import { OwnAuditEntry } from './audit-entry.entity.ts';

const columns = ['id', 'actor', 'action', 'subject', 'address', 'request_id', 'details', 'created_at'] as const;
export type ActRow = RowOf<typeof OwnAuditEntry, (typeof columns)[number]>;

export type ActFilter = { actor?: string; action?: string };

export function listActs(ask: Ask, own: Own, { actor, action }: ActFilter, page: Page) {
  let acts = own.select(OwnAuditEntry).select(columns);
  if (actor) acts = acts.where('actor', '=', actor);
  if (action) acts = acts.where('action', '=', action);
  return pageOfQuery(ask, acts, page);
}
