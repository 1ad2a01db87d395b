import type { RowOf } from '../platform/database/tables.ts';
import { endpointFailing, endpointRecovered } from '../platform/events/endpoint-events.ts';
import type { Part, PartText } from '../platform/ledger/part.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import { now } from '../platform/time/clock.ts';
import type { WebhookEndpoint } from './endpoint.entity.ts';
import { endpointLock } from './endpoints.ts';
import { disableEndpoint } from './switch-endpoint.ts';
import { isoOf, tellOwners } from './tell-owners.ts';

/**
 * A spell: nothing but failures. It begins with the first failure after a success and ends with the next success, or when there was nothing
 * to send for a day (platform/retention/endpoints.ts). A delivery knows it from the row of its claim, so a success writes nothing while all is
 * well, and a failure writes only when a spell begins or it is time to tell. A success that was claimed before the first failure does not end
 * the spell: it may begin an attempt's length too early.
 */
export type Spell = RowOf<typeof WebhookEndpoint, 'failing_since' | 'failing_told_at'>;
export type SpellTimes = { webhookFailingAfterHours: number; webhookDisableAfterDays: number };

const hourMs = 3_600_000;
const hoursSince = (time: string) => (now() - Date.parse(time)) / hourMs;

/** An endpoint is told of first, and disabled so many hours after that: attempts of a quiet one are far apart. */
function hoursOf({ webhookFailingAfterHours, webhookDisableAfterDays }: SpellTimes) {
  const disableAfter = webhookDisableAfterDays * 24;
  const tellAfter = Math.min(webhookFailingAfterHours, disableAfter);
  return { tellAfter, disableAfter, notice: disableAfter - tellAfter };
}
type Hours = ReturnType<typeof hoursOf>;

/** SQL: a part of the ledger's statement, in the transaction that ends a failed attempt. */
const spellPart: PartText = (organization, endpointId) => `
      spell as (
        update webhook_endpoints
           set failing_since = clock_timestamp()
         where organization_id = ${organization} and id = ${endpointId} and failing_since is null and enabled)`;

export const spellBegins = (organizationId: string, endpointId: string): Part => ({
  text: spellPart,
  params: [organizationId, endpointId],
});

/** After a failed attempt. What is due is checked again by the database's clock, under the endpoint's lock. */
export async function judgeSpell(
  transact: TenantTransact,
  endpointId: string,
  { url, failing_since, failing_told_at }: Spell & RowOf<typeof WebhookEndpoint, 'url'>,
  times: SpellTimes,
) {
  if (!failing_since) return;
  const hours = hoursOf(times);
  if (!failing_told_at) {
    if (hoursSince(failing_since) >= hours.tellAfter) await tellFailing(transact, endpointId, hours);
  } else if (hoursSince(failing_since) >= hours.disableAfter && hoursSince(failing_told_at) >= hours.notice)
    await disableEndpoint(transact, endpointId, { reason: 'failing', url, spell: hours });
}

type Told = RowOf<typeof WebhookEndpoint, 'url'> & { failing_since: string; disable_at: string };

async function tellFailing(transact: TenantTransact, endpointId: string, { tellAfter, disableAfter, notice }: Hours) {
  await transact({ locks: [endpointLock(endpointId)] }, async ({ own }) => {
    // SQL: by the database's clock, once a spell.
    const [told] = await own.sql<Told>(
      `update webhook_endpoints
          set failing_told_at = clock_timestamp()
        where organization_id = $1
          and id = $2
          and enabled
          and failing_told_at is null
          and failing_since <= clock_timestamp() - $3::float8 * interval '1 hour'
       returning url, failing_since,
                 greatest(failing_since + $4::float8 * interval '1 hour',
                          failing_told_at + $5::float8 * interval '1 hour') as disable_at`,
      [endpointId, tellAfter, disableAfter, notice],
    );
    if (!told) return;
    const disable_at = isoOf(told.disable_at);
    own.emit(endpointFailing, {
      endpoint_id: endpointId,
      failing_since: isoOf(told.failing_since),
      disable_at,
      organization_id: own.organizationId,
    });
    await tellOwners(own, 'endpoint_failing', { ...told, endpointId, more: { disable_at } });
  });
}

/** After a success of an endpoint that was failing when the attempt was claimed. */
export async function endSpell(transact: TenantTransact, endpointId: string) {
  await transact({ locks: [endpointLock(endpointId)] }, async ({ own }) => {
    // SQL: gives what the spell was.
    const [ended] = await own.sql<{ failing_since: string; was_told: boolean }>(
      `update webhook_endpoints
          set failing_since = null, failing_told_at = null
        where organization_id = $1
          and id = $2
          and failing_since is not null
       returning old.failing_since, old.failing_told_at is not null as was_told`,
      [endpointId],
    );
    if (!ended?.was_told) return;
    own.emit(endpointRecovered, {
      endpoint_id: endpointId,
      failing_since: isoOf(ended.failing_since),
      organization_id: own.organizationId,
    });
  });
}
