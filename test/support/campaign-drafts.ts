import { expect } from '@jest/globals';
import type { App, Body, Channel, Reply } from './app.ts';
import { contact } from './factories/contact.ts';

export const at = (campaignID: string) => ({ params: { campaignID } });
/** Nobody's. */
export const stranger = '0193ffff-3a0e-7cc4-8f4e-0242ac120004';
export const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

export const templateOf = (name: string, text: string, language = 'en_US') => ({
  name,
  language,
  components: text ? [{ type: 'body', parameters: [{ type: 'text', text }] }] : [],
});
export const variantOf = (...templates: object[]) => ({ id: 'a', weight: 1, templates });

/** `greeting` has one parameter and is approved, `stopped` is paused; no worker is needed. */
export async function channelWithTemplates(app: App, tenant = app.tenant, category = 'utility'): Promise<Channel> {
  const channel = await app.connect({ tenant });
  for (const [name, status] of [
    ['greeting', 'approved'],
    ['stopped', 'paused'],
  ])
    await app.rows(
      `insert into templates (id, organization_id, channel_id, provider_template_id, name, language, category, status, components)
       values (uuidv7(), $1, $2, $3, $4, 'en_US', $5, $6, $7)`,
      [
        ...[tenant.organizationId, channel.id, `${name}${channel.phoneNumberId}`, name, category, status],
        JSON.stringify([{ type: 'BODY', text: 'Hello {{1}}' }]),
      ],
    );
  return channel;
}

/** A draft that can be started: one contact, one channel, a text with a value. */
export async function completeDraft(app: App, channel: Channel, more: object = {}): Promise<Body> {
  const who = await contact(app.em(), channel.tenant.organizationId);
  const body = {
    name: 'Winter sale',
    purpose: 'service',
    channel_ids: [channel.id],
    variants: [variantOf(templateOf('greeting', '{{ contact.name | default: "you" }}'))],
    audience: { contact_ids: [who.id] },
    ...more,
  };
  const reply = await app.call('campaigns.create', { key: channel.tenant.key, body });
  expect(reply.status).toBe(201);
  return reply.body;
}

export const act = (app: App, action: string, id: string, body?: object): Promise<Reply> =>
  app.call(`campaigns.${action}`, { ...at(id), ...(body && { body }) });

/** As the feed and the workers leave one: states that no endpoint leads to. */
export async function inState(app: App, id: string, status: string): Promise<void> {
  const hasEnded = ['completed', 'cancelled', 'failed'].includes(status);
  await app.rows(
    `update campaigns
        set status = $2, phase = $3, prepared = '{"source": 0, "after": null, "is_done": true}',
            ended_at = case when $4 then clock_timestamp() end
      where id = $1`,
    [id, status, status === 'running' || status === 'paused' ? 'sending' : null, hasEnded],
  );
}

export async function recipient(
  app: App,
  campaign: Body,
  more: { status?: string; failure_code?: string; contactId?: string } = {},
) {
  const { status = 'pending', failure_code = '', contactId } = more;
  const who = contactId ?? (await contact(app.em(), app.tenant.organizationId)).id;
  const row = await app.one(
    `insert into campaign_recipients (id, organization_id, campaign_id, contact_id, channel_id, status, failure_code, failed_at)
     values (uuidv7(), $1, $2, $3, $4, $5, $6, case when $5 = 'failed' then clock_timestamp() end)
     returning id`,
    [app.tenant.organizationId, campaign.id, who, campaign.channel_ids[0], status, failure_code],
  );
  return row.id as string;
}
