import { expect } from '@jest/globals';
import type { App, Body, Reply, Tenant } from './app.ts';

export const aRule = {
  name: 'Welcome',
  trigger: { type: 'event', event: 'contact.created' },
  steps: [{ id: 'welcome', type: 'add_tag', tag: 'new' }],
};
export const stepsOf = (tag: string) => ({ steps: [{ id: 'welcome', type: 'add_tag', tag }] });

/** What a test does with the rules of one organization. */
export function rulesOf(app: App, tenantOf: () => Tenant = () => app.tenant) {
  const at = (ruleID: string, body?: object) => ({ params: { ruleID }, key: tenantOf().key, ...(body && { body }) });
  const act = (action: string, id: string, body?: object): Promise<Reply> => app.call(`automation.rules.${action}`, at(id, body));
  const create = (body: object = {}, key = tenantOf().key): Promise<Reply> =>
    app.call('automation.rules.create', { key, body: { ...aRule, ...body } });

  async function draft(body: object = {}): Promise<Body> {
    const reply = await create(body);
    expect([reply.status, reply.body.error]).toEqual([201, undefined]);
    return reply.body;
  }

  async function published(body: object = {}): Promise<Body> {
    const { id } = await draft(body);
    const reply = await act('publish', id);
    expect([reply.status, reply.body.error]).toEqual([200, undefined]);
    return reply.body;
  }

  /** By the ways that lead there. */
  async function inStatus(status: string, body: object = {}): Promise<Body> {
    if (status === 'draft') return draft(body);
    const made = await published(body);
    return status === 'paused' ? (await act('pause', made.id)).body : made;
  }

  return {
    at,
    act,
    create,
    draft,
    published,
    inStatus,
    get: async (id: string): Promise<Body> => (await app.call('automation.rules.get', at(id))).body,
    row: (id: string): Promise<Body> => app.one('select * from automation_rules where id = $1', [id]),
    versions: (id: string): Promise<Body[]> =>
      app.rows('select number, definition from automation_rule_versions where rule_id = $1 order by number', [id]),
  };
}
