import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { applyIdentityChange } from '../../src/contacts/identities/identity-change.ts';
import { applyTemplateStatus } from '../../src/messaging/templates.ts';
import type { Database, Em } from '../../src/platform/database/database.ts';
import { isOurOutage } from '../../src/platform/database/errors.ts';
import { query } from '../../src/platform/database/query.ts';
import { mayRunNow } from '../../src/platform/ledger/pace.ts';
import { type RunRow, runColumns } from '../../src/platform/ledger/run.ts';
import type { RunRef } from '../../src/platform/ledger/tx.ts';
import { reasonOf } from '../../src/platform/log.ts';
import { applyChangeMessage } from '../../src/provider-webhooks/apply-identity-change.ts';
import { applyMessage, type ChannelRef } from '../../src/provider-webhooks/apply-message.ts';
import { applyPreference } from '../../src/provider-webhooks/apply-preference.ts';
import { keepUnmatched, matchStatus } from '../../src/provider-webhooks/apply-status.ts';
import { applyProviderWebhookJob } from '../../src/provider-webhooks/jobs.ts';
import { type InboundPart, partsOf, type RawChange } from '../../src/providers/messaging-app/inbound.ts';
import { handle, type RunContext } from '../handler.ts';
import { type FaultList, faultList } from './faults.ts';

/** So many parts that take no statement are read in one turn. */
const partsOfTurn = 100;

/** A change our reading trips over is a broken one, not a body that is never done. */
function readable(change: RawChange, most: number): ReturnType<typeof partsOf> {
  try {
    return partsOf(change, most);
  } catch (error) {
    return [{ kind: 'broken', error: reasonOf(error), raw: change }];
  }
}

type WebhookRow = { organization_id: string; channel_id: string | null; body: Buffer };

async function readWebhook(database: Database, id: string): Promise<WebhookRow | undefined> {
  const [row] = await query<WebhookRow>(
    database,
    `select organization_id, channel_id, body from provider_webhooks where id = $1 and state = 'received'`,
    [id],
  );
  return row;
}

/** The run and the body in one look, when it may be applied now. */
async function claimWebhook(em: Em, { id, run }: RunRef): Promise<{ row: RunRow; claimed: WebhookRow } | undefined> {
  const [row] = await query<RunRow & WebhookRow>(
    em,
    `select ${runColumns}, w.channel_id, w.body from jobs j left join pools p on p.id = j.pool join provider_webhooks w on w.id = j.subject_id
      where j.id = $1 and j.run = $2 and ${mayRunNow} and w.state = 'received'`,
    [id, run],
  );
  return row && { row, claimed: row };
}

/**
 * Applies every part of a stored body, up to PROVIDER_WEBHOOK_MAX_PARTS. Each part is its own transaction and safe to repeat; a broken one
 * is kept with its error, the rest applied.
 */
export const applyProviderWebhook = handle<{ webhook_id: string }, WebhookRow>(
  applyProviderWebhookJob,
  async ({ webhook_id }, context) => {
    const webhook = context.claimed ?? (await readWebhook(context.database, webhook_id));
    if (!webhook) return context.finish();
    const most = context.config.providerWebhookMaxParts;
    const faults = faultList();
    let seen = 0;
    for (const change of changesIn(webhook.body, faults)) {
      // One more than there is room for: it tells that there are more.
      for (const part of readable(change, most - seen + 1)) {
        seen += 1;
        if (seen > most) break;
        if (seen % partsOfTurn === 0) await turnOfOthers();
        if (part.kind === 'broken') {
          faults.add(part.error, part.raw);
          continue;
        }
        try {
          await applyPart(context, webhook.organization_id, webhook.channel_id, part);
        } catch (error) {
          // Our own outage: the whole body again later. Anything else is this part's own fault and must not hold up the others.
          if (isOurOutage(error)) throw error;
          context.log.error({ err: error, webhook_id }, 'a part of a provider webhook could not be applied');
          faults.add(reasonOf(error), part.kind);
        }
      }
      if (seen > most) {
        faults.first(`Only the first ${most} parts are applied (PROVIDER_WEBHOOK_MAX_PARTS)`);
        break;
      }
    }
    const errors = faults.text();
    return context.finish({
      text: `applied as (
        update provider_webhooks set state = $2, errors = $3, applied_at = clock_timestamp() where id = $1 and exists (select 1 from ended))`,
      params: [webhook_id, errors ? 'broken' : 'applied', errors],
    });
  },
  claimWebhook,
);

/** What PostgreSQL's text cannot hold, as JSON.stringify writes it: NUL and half a surrogate pair. A pair is written as it is. */
const unstorable = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

/** A body that cannot even be read again is broken as a whole; it must not run for ever. */
function changesIn(body: Buffer, faults: FaultList): RawChange[] {
  try {
    return JSON.parse(body.toString('utf8').replace(unstorable, '$1\ufffd'));
  } catch (error) {
    faults.add(reasonOf(error), 'body');
    return [];
  }
}

async function applyPart(context: RunContext<unknown>, organizationId: string, onlyChannelId: string | null, part: InboundPart) {
  const { em, ledger, secrets, config } = context;
  const applying = { secrets, stopWords: config.stopWords };
  switch (part.kind) {
    case 'ignored':
      context.log.info({ what: part.what }, 'provider webhook: nothing to do');
      return;
    case 'template_status':
      await applyTemplateStatus(
        em,
        ledger.transact,
        { organizationId, onlyChannelId },
        part.accountId,
        part.providerTemplateId,
        part.status,
      );
      return;
    case 'message': {
      const channel = await channelOf(em, organizationId, onlyChannelId, part.phoneNumberId);
      if (channel && part.identityChange)
        await applyChangeMessage(em, ledger.transact, applying, channel, part, part.identityChange);
      else if (channel) await applyMessage(ledger.transact, applying, channel, part);
      return;
    }
    case 'identity_change': {
      const { phoneNumberId, change } = part;
      const isOurs = !phoneNumberId || (await channelOf(em, organizationId, onlyChannelId, phoneNumberId));
      if (isOurs) await applyIdentityChange(ledger.transact, secrets, organizationId, change);
      return;
    }
    case 'preference': {
      const channel = await channelOf(em, organizationId, onlyChannelId, part.phoneNumberId);
      if (channel) await applyPreference(ledger.transact, secrets, channel.organizationId, part);
      return;
    }
    case 'status': {
      const channel = await channelOf(em, organizationId, onlyChannelId, part.phoneNumberId);
      if (channel && !(await matchStatus(em, ledger.transact, channel, part)))
        await keepUnmatched(ledger.transact, channel, part);
    }
  }
}

async function channelOf(
  em: Em,
  organizationId: string,
  onlyChannelId: string | null,
  phoneNumberId: string,
): Promise<ChannelRef | undefined> {
  const [row] = await query<{ id: string }>(
    em,
    'select id from channels where organization_id = $1 and phone_number_id = $2 and ($3::uuid is null or id = $3)',
    [organizationId, phoneNumberId, onlyChannelId],
  );
  return row && { id: row.id, organizationId };
}
