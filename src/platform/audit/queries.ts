import { type Ask, type Page, pageAskedFor } from '../listing/paging.ts';

export type ActRow = {
  id: string;
  actor: string;
  action: string;
  subject: string;
  address: string;
  request_id: string | null;
  details: Record<string, unknown> | null;
  created_at: string;
};

export type ActFilter = { actor?: string; action?: string };

export function listActs(ask: Ask, organizationId: string, { actor, action }: ActFilter, page: Page) {
  const wheres = ['organization_id = $1'];
  const params: unknown[] = [organizationId];
  if (actor) wheres.push(`actor = $${params.push(actor)}`);
  if (action) wheres.push(`action = $${params.push(action)}`);
  const statement = `select id, actor, action, subject, address, request_id, details, created_at from audit_log where ${wheres.join(' and ')}`;
  return pageAskedFor<ActRow>(ask, statement, params, page);
}
