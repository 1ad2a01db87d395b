import type pg from 'pg';
import { uuidv7 } from '../../src/platform/ids.ts';
import { channelPool } from '../../src/platform/ledger/pools.ts';
import { accessToken, type Stage } from '../stage.ts';
import { seedTenant, type Tenant } from '../tenant.ts';
import { addTemplate, template, variants } from './campaign.ts';
import { inGroup } from './people.ts';

/** Messages a second that a channel gets when nobody says otherwise. */
export const rate = 80;

type Number = { id: string; phoneNumberId: string; accountId: string; rate: number };
/** The organization that sends campaigns: each of its channels has an account of its own. */
export type Campaigner = { tenant: Tenant; channels: Number[] };
/** `rates`: of each of its channels, messages a second. `from`: its numbers are told from another campaigner's by it. */
type Options = { rates: number[]; from?: number };

export async function openCampaigner(
  { kanal: { sql, env }, receiver }: Stage,
  { rates, from = 0 }: Options,
): Promise<Campaigner> {
  const numbers = rates.map((own, index) => ({
    phoneNumberId: `1000000000000${100 + from + index}`,
    accountId: `2000000000000${100 + from + index}`,
    rate: own,
  }));
  const tenant = await seedTenant(sql, {
    keys: { secretKey: env.SECRET_KEY!, hashKey: env.HASH_KEY! },
    ...{ accessToken, ...numbers[0]!, receiverUrl: receiver.url, sent: 0 },
  });
  const channels: Number[] = [];
  for (const [index, number] of numbers.entries()) {
    const id = index === 0 ? tenant.channelId : await alike(sql, tenant, number);
    await addTemplate(sql, tenant.organizationId, id);
    channels.push({ id, ...number });
  }
  return { tenant, channels };
}

/** A further channel, as the first one but for its number and its rate. */
async function alike(
  sql: pg.Pool,
  { organizationId, channelId }: Tenant,
  { phoneNumberId, accountId, rate: own }: Omit<Number, 'id'>,
) {
  const id = uuidv7();
  await sql.query(
    `insert into channels (id, organization_id, provider, name, phone_number_id, account_id, display_phone, status, access_token, rate)
     select $2, organization_id, provider, name, $3, $4, display_phone, status, access_token, $5 from channels where id = $1`,
    [channelId, id, phoneNumberId, accountId, own],
  );
  await sql.query('insert into pools (organization_id, id, width, rate) values ($1, $2, $3::int, $3::int)', [
    ...[organizationId, channelPool(id), own],
  ]);
  return id;
}

/** The sandbox as new: it knows the campaigners' numbers and their template, and counts anew. */
export async function resetProvider({ sandbox }: Stage, campaigners: Campaigner[]) {
  await sandbox.control('DELETE', '/');
  await sandbox.control('POST', '/behaviour', { auto_status: [] });
  for (const { phoneNumberId, accountId } of campaigners.flatMap(({ channels }) => channels))
    await sandbox.control('POST', '/accounts', {
      ...{ waba_id: accountId, phone_number_id: phoneNumberId, display_phone_number: `+1 555-010-0${phoneNumberId.slice(-3)}` },
      access_token: accessToken,
      templates: [
        {
          ...{ id: `9${phoneNumberId}`, ...template, status: 'APPROVED', category: 'MARKETING' },
          components: [{ type: 'BODY', text: 'Hello {{1}}', example: { body_text: [['Ada']] } }],
        },
      ],
    });
}

/** As a client asks for it. Throws for another answer than a success. */
export async function ask<Answer>(
  base: string,
  { apiKey }: Pick<Tenant, 'apiKey'>,
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await fetch(`${base}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${text.slice(0, 500)}`);
  return JSON.parse(text) as Answer;
}

/** Who is in the group, over these channels; begins with the answer. */
export async function started(base: string, tenant: Tenant, group: string, channels: Number[]): Promise<string> {
  const draft = { name: `Bench ${group}`, channel_ids: channels.map(({ id }) => id), variants, audience: inGroup(group) };
  const { id } = await ask<{ id: string }>(base, tenant, '/v1/campaigns', draft);
  await ask(base, tenant, `/v1/campaigns/${id}/start`);
  return id;
}
