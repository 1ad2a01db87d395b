import { days } from '../sizes.ts';
import { lastOf, type Shares, within } from './shares.ts';

const status = `{"id":"wamid.%s","status":"delivered","recipient_id":"%s","pricing":{"billable":true,"pricing_model":"PMP","category":"utility"}}`;
const value = `{"statuses":[${status}],"metadata":{"phone_number_id":"%s"}}`;
const body = `{"object":"whatsapp_business_account","entry":[{"id":"%s","changes":[{"field":"messages","value":${value}}]}]}`;

/** Parts of the chunk's statement: `bodies` are the provider's, two a message in the days they are kept, a broken one longer. */
export const providerParts = ({ brokenBodies }: Shares) => `
  bodies as materialized (
    select m.*, uuidv7(at - clock_timestamp()) as body_id, k = 1 and ${lastOf(brokenBodies)} as is_broken
      from m, generate_series(1, 2) k
     where ${within(days.week)} or (k = 1 and ${lastOf(brokenBodies)})),
  new_bodies as (
    insert into provider_webhooks (id, organization_id, channel_id, body, state, received_at, applied_at)
    select body_id, organization_id, channel_id,
           convert_to(format('${body}', channel_id, id, phone, channel_id), 'UTF8'),
           case when is_broken then 'broken' else 'applied' end, at,
           case when not is_broken then at + interval '1 s' end
      from bodies),
  new_statuses as (
    insert into unmatched_statuses (id, organization_id, channel_id, provider_message_id, status, state, received_at)
    select uuidv7(at - clock_timestamp()), organization_id, channel_id, 'wamid.' || id,
           '{"status": "delivered"}', 'matched', at
      from m
     where n % 50 = 0 and ${within(days.week)})`;
