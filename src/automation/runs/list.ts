import type { Own } from '../../platform/database/own.ts';
import { bindTo } from '../../platform/listing/bind.ts';
import { type Ask, type Page, pageAskedFor } from '../../platform/listing/paging.ts';
import { type RunRow, runColumns } from './columns.ts';
import { type RunFilter, runsWhere } from './filter.ts';

/** SQL: a page of what `runsWhere` finds, newest first. */
export function listRuns(ask: Ask, own: Own, filter: RunFilter, page: Page) {
  const params: unknown[] = [own.organizationId];
  const where = runsWhere(filter, bindTo(params));
  const text = `
    select ${runColumns.map((column) => `r.${column}`).join(', ')}
      from automation_runs r
     where ${where.join(' and ')}`;
  return pageAskedFor<RunRow>(ask, text, params, page);
}
