import type pg from 'pg';
import { uuidv7 } from '../../src/platform/ids.ts';
import { accessToken } from '../stage.ts';
import type { Tenant } from '../tenant.ts';
import { dearTexts } from './dear-liquid.ts';

const name = 'dear';
const language = 'en_US';
const body = 'Hello {{1}} {{2}} {{3}} {{4}}';

/** Messages that take as much Liquid as one may have. `count`: variants; four have all that a campaign may have. */
export const dearVariants = (count: number) =>
  Array.from({ length: count }, (_, variant) => ({
    id: `v${variant}`,
    weight: 1,
    templates: [
      {
        name,
        language,
        components: [{ type: 'body', parameters: dearTexts(10 * variant).map((text) => ({ type: 'text', text })) }],
      },
    ],
  }));

/** A draft of nearly the size of a request: parameters that are long, and filled by nobody. */
export const largeDraft = (number: number) => {
  const languages = Array.from({ length: 16 }, (_, index) => `e${String.fromCharCode(97 + index)}`);
  const parameters = [{ type: 'text', text: 'a'.repeat(60_000) }];
  const templates = languages.map((one) => ({ name, language: one, components: [{ type: 'body', parameters }] }));
  return { name: `Bench large ${number}`, variants: [{ id: 'a', weight: 1, templates }] };
};

/** The template that these fill, here and at the provider; and everybody has consented. */
export async function openDearCampaigns(sql: pg.Pool, sandboxUrl: string, { organizationId, channelId, phoneNumberId }: Tenant) {
  await sql.query(
    `insert into templates (id, organization_id, channel_id, name, language, category, status, components)
     select uuidv7(), $1, $2, $3, $4, 'marketing', 'approved', $5
      where not exists (select 1 from templates where organization_id = $1 and name = $3)`,
    [organizationId, channelId, name, language, JSON.stringify([{ type: 'BODY', text: body }])],
  );
  await sql.query(
    `insert into contact_consents (organization_id, id, contact_id, channel, status)
     select $1, uuidv7(), id, 'messaging_app', 'granted'
       from contacts k
      where organization_id = $1
        and not exists (select 1 from contact_consents c where c.organization_id = $1 and c.contact_id = k.id)`,
    [organizationId],
  );
  const { rows } = await sql.query<{ account_id: string }>('select account_id from channels where id = $1', [channelId]);
  const template = { id: '9000000000000002', name, language, status: 'APPROVED', category: 'MARKETING' };
  const components = [{ type: 'BODY', text: body, example: { body_text: [['1', '2', '3', '4']] } }];
  const response = await fetch(`${sandboxUrl}/_control/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ waba_id: rows[0]!.account_id, phone_number_id: phoneNumberId, display_phone_number: '+1 555-010-0002' },
      access_token: accessToken,
      templates: [{ ...template, components }],
    }),
  });
  if (!response.ok) throw new Error(`sandbox: ${response.status} ${await response.text()}`);
}

/** One that has ended, whose recipients are all the contacts of the organization. Its id. */
export async function addEndedCampaign(sql: pg.Pool, organizationId: string): Promise<string> {
  const [id, channelId] = [uuidv7(), uuidv7()];
  await sql.query(
    `insert into channels (id, organization_id, provider, name, phone_number_id, account_id, display_phone, status, access_token, rate)
     values ($1::uuid, $2, 'messaging_app', 'Bench', $1::text, '1', '+1 555-010-0008', 'connected', 'x', 80)`,
    [channelId, organizationId],
  );
  await sql.query(
    `insert into campaigns (organization_id, id, name, status, variants, started_at, ended_at)
     values ($1, $2, 'Bench', 'completed', $3, clock_timestamp() - interval '1 day', clock_timestamp())`,
    [organizationId, id, JSON.stringify(dearVariants(1))],
  );
  await sql.query(
    `insert into campaign_recipients (organization_id, campaign_id, id, contact_id, channel_id, variant_id, status, message_id, attempts, queued_at,
       sent_at, result_at)
     select $1, $2, uuidv7(), k.id, $3, 'v0', 'sent', uuidv7(), 1, k.at, k.at, k.at
       from (select id, clock_timestamp() - row_number() over (order by id) * interval '1 s' as at
               from contacts
              where organization_id = $1) k`,
    [organizationId, id, channelId],
  );
  await sql.query('analyze campaigns, campaign_recipients');
  return id;
}
