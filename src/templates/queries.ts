import { type SqlBool, sql } from 'kysely';
import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import { type Ask, type Page, type PageRows, pageOfQuery } from '../platform/listing/paging.ts';
import { Template, type TemplateCategory, type TemplateStatus } from './template.entity.ts';

const columns = [
  'id',
  'channel_id',
  'provider_template_id',
  'name',
  'language',
  'category',
  'previous_category',
  'status',
  'reason',
  'quality',
  'components',
  'doing',
  'change',
  'failure',
  'created_at',
  'updated_at',
] as const;
export type TemplateRow = RowOf<typeof Template, (typeof columns)[number]>;

export type TemplateFilter = {
  channelId?: string;
  status?: TemplateStatus;
  category?: TemplateCategory;
  language?: string;
  search?: string;
};

/** One that is being deleted is not shown any more. */
const isShown = sql<SqlBool>`doing is distinct from 'delete'`;

export function listTemplates(own: Own, ask: Ask, filter: TemplateFilter, page: Page): Promise<PageRows<TemplateRow>> {
  const { channelId, status, category, language, search = '' } = filter;
  let templates = own.select(Template).select(columns).where(isShown);
  if (channelId) templates = templates.where('channel_id', '=', channelId);
  if (status) templates = templates.where('status', '=', status);
  if (category) templates = templates.where(sql<SqlBool>`lower(category) = ${category}`);
  if (language) templates = templates.where('language', '=', language);
  for (const word of new Set(search.toLowerCase().split(/\s+/).filter(Boolean)))
    templates = templates.where(sql<SqlBool>`strpos(lower(name), ${word}) > 0`);
  return pageOfQuery<TemplateRow>(ask, templates, page);
}

const templateById = statement((select, { id }: { id: string }) =>
  select(Template).select(columns).where('id', '=', id).where(isShown),
);

export async function findTemplate(own: Own, id: string): Promise<TemplateRow | undefined> {
  const [row] = await templateById(own, { id });
  return row;
}

export async function readTemplate(own: Own, id: string): Promise<TemplateRow> {
  const row = await findTemplate(own, id);
  if (!row) throw notFound('Template');
  return row;
}
