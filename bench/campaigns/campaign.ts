import type pg from 'pg';
import { uuidv7 } from '../../src/platform/ids.ts';

export const template = { name: 'offer', language: 'en_US' };
export const variants = [
  {
    id: 'a',
    weight: 1,
    templates: [{ ...template, components: [{ type: 'body', parameters: [{ type: 'text', text: '{{ contact.name }}' }] }] }],
  },
];

/** As the provider has told it. */
export async function addTemplate(sql: pg.Pool, organizationId: string, channelId: string): Promise<void> {
  await sql.query(
    `insert into templates (id, organization_id, channel_id, name, language, category, status, components)
     values (uuidv7(), $1, $2, $3, $4, 'marketing', 'approved', '[{"type": "BODY", "text": "Hello {{1}}"}]')`,
    [organizationId, channelId, template.name, template.language],
  );
}

type Given = { organizationId: string; channelId: string; phase: 'preparing' | 'sending'; audience?: object };

/** One that runs, with the job that its phase has. */
export async function addCampaign(
  sql: pg.Pool,
  { organizationId, channelId, phase, audience = {} }: Given,
): Promise<{ id: string; jobId: string }> {
  const [id, jobId] = [uuidv7(), uuidv7()];
  await sql.query(
    `insert into campaigns (organization_id, id, name, status, phase, variants, audience, started_at, start_at, job_id, zones)
     values ($1, $2, 'Bench', 'running', $3, $4, $5, clock_timestamp(), clock_timestamp(), $6, '{UTC}')`,
    [organizationId, id, phase, JSON.stringify(variants), JSON.stringify(audience), jobId],
  );
  await sql.query(`insert into campaign_channels (organization_id, campaign_id, channel_id, position) values ($1, $2, $3, 0)`, [
    organizationId,
    id,
    channelId,
  ]);
  const [name, queue] = phase === 'sending' ? ['campaigns.feed', 'bulk-messages'] : ['campaigns.prepare', 'default'];
  await sql.query(
    `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, lane, state, check_at)
     values ($1, $2, $3, $4, jsonb_build_object('campaign_id', $5::text), 'campaign', $5::uuid, 'campaign:' || $5, 'queued',
             clock_timestamp() + interval '1 hour')`,
    [jobId, organizationId, name, queue, id],
  );
  return { id, jobId };
}

/** Nothing of a round is left, with nothing that `jobs check` would miss. */
export async function takeCampaignsAway(sql: pg.Pool): Promise<void> {
  await sql.query('truncate campaign_recipients, campaign_channels, campaigns, conversations, messages, events, jobs cascade');
}
