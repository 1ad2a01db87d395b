import { setImmediate as turnOfOthers } from 'node:timers/promises';
import type { Channel } from '../../src/channels/channel.entity.ts';
import { applyNumberNews } from '../../src/channels/number-news.ts';
import { applyIdentityChange } from '../../src/contacts/identities/identity-change.ts';
import { applyFlowChange } from '../../src/flows/provider-changes.ts';
import type { Source } from '../../src/platform/database/database.ts';
import type { Own } from '../../src/platform/database/own.ts';
import { query } from '../../src/platform/database/query.ts';
import { statement } from '../../src/platform/database/statement.ts';
import type { RowOf } from '../../src/platform/database/tables.ts';
import { mayRunNow } from '../../src/platform/ledger/pace.ts';
import type { PartText } from '../../src/platform/ledger/part.ts';
import { type RunRow, runColumns } from '../../src/platform/ledger/run.ts';
import type { RunRef } from '../../src/platform/ledger/tx.ts';
import { reasonOf } from '../../src/platform/log.ts';
import { applyAmendment } from '../../src/provider-webhooks/apply-amendment.ts';
import { applyGroupMessage } from '../../src/provider-webhooks/apply-group-message.ts';
import { applyChangeMessage } from '../../src/provider-webhooks/apply-identity-change.ts';
import { isPlain } from '../../src/provider-webhooks/apply-known.ts';
import { applyMessage } from '../../src/provider-webhooks/apply-message.ts';
import { applyPreference } from '../../src/provider-webhooks/apply-preference.ts';
import { maxTogether } from '../../src/provider-webhooks/apply-status.ts';
import { applyProviderWebhookJob } from '../../src/provider-webhooks/jobs.ts';
import { ProviderWebhook } from '../../src/provider-webhooks/provider-webhook.entity.ts';
import {
  type InboundIgnored,
  type InboundMessage,
  type InboundPart,
  type InboundStatus,
  partsOf,
  type RawChange,
} from '../../src/providers/messaging-app/inbound.ts';
import { applyTemplateChange } from '../../src/templates/provider-changes.ts';
import { handle, type RunContext } from '../handler.ts';
import { applyPlain, finishWithPlain, type Plain } from './apply-plain.ts';
import { applyStatuses, finishWithStatuses, noteFault } from './apply-statuses.ts';
import { type FaultList, faultList } from './faults.ts';

/** Pauses after this many parts: parts without a statement would block the process. */
const partsOfTurn = 100;

/** A broken part must not fail the body for ever. */
function readable(change: RawChange, maxParts: number): ReturnType<typeof partsOf> {
  try {
    return partsOf(change, maxParts);
  } catch (error) {
    return [{ kind: 'broken', error: reasonOf(error), raw: change }];
  }
}

const columns = ['channel_id', 'body', 'received_at'] as const;
type WebhookRow = RowOf<typeof ProviderWebhook, (typeof columns)[number]>;

const receivedWebhook = statement((select, { id }: { id: string }) =>
  select(ProviderWebhook).select(columns).where('id', '=', id).where('state', '=', 'received'),
);

async function claimWebhook(
  source: Source,
  { organization_id, id, run }: RunRef,
): Promise<{ row: RunRow; claimed: WebhookRow } | undefined> {
  // SQL: one statement reads the run and its subject; the webhook gives the organization (bench: inbound).
  const [row] = await query<RunRow & WebhookRow>(
    source,
    `select ${runColumns}, w.channel_id, w.body, w.received_at
       from jobs j
       left join pools p on p.organization_id = j.organization_id and p.id = j.pool
       join provider_webhooks w on w.organization_id = j.organization_id and w.id = j.subject_id
      where j.organization_id = $1 and j.id = $2 and j.run = $3 and ${mayRunNow} and w.state = 'received'`,
    [organization_id, id, run],
  );
  return row && { row, claimed: row };
}

/**
 * In the body's order. Statuses that follow each other are one write, the last of them with the end of the job, as a plain message that is
 * the last part; any other part has its own transaction. Each part is idempotent. A broken one is kept with its error; the others are applied.
 */
export const applyProviderWebhook = handle<{ webhook_id: string }, WebhookRow>(
  applyProviderWebhookJob,
  async ({ webhook_id }, context) => {
    const webhook = context.claimed ?? (await receivedWebhook(context.own, { id: webhook_id }))[0];
    if (!webhook) return context.finish();
    const maxParts = context.config.providerWebhookMaxParts;
    const faults = faultList();
    const where = { onlyChannelId: webhook.channel_id };
    let statuses: InboundStatus[] = [];
    /** A message that may be the last part. */
    let last: Plain | undefined;
    const applyOne = (part: OtherPart, place: number) =>
      applyPart(context, webhook, part, place).catch((error) => noteFault(context, faults, error, part.kind));
    const placed = (message: InboundMessage, place: number): Plain => ({
      message,
      onlyChannelId: webhook.channel_id,
      received: { at: webhook.received_at, place },
    });
    const flush = async () => {
      const [given, held] = [{ statuses, where, faults }, last];
      statuses = [];
      last = undefined;
      if (given.statuses.length > 0) await applyStatuses(context, given);
      if (held && !(await applyPlain(context, held))) await applyOne(held.message, held.received.place);
    };
    let seen = 0;
    for (const change of changesIn(webhook.body, faults)) {
      // One more than the limit shows that there are more.
      for (const part of readable(change, maxParts - seen + 1)) {
        seen += 1;
        if (seen > maxParts) break;
        if (seen % partsOfTurn === 0) await turnOfOthers();
        if (part.kind === 'broken') faults.add(part.error, part.raw);
        else if (part.kind === 'ignored') context.log.info({ what: part.what }, 'provider webhook: nothing to do');
        else if (part.kind === 'status') {
          if (statuses.length === maxTogether || last) await flush();
          statuses.push(part);
        } else {
          await flush();
          if (part.kind === 'message' && isPlain(part, context.config.stopWords)) last = placed(part, seen);
          else await applyOne(part, seen);
        }
      }
      if (seen > maxParts) {
        faults.first(`Only the first ${maxParts} parts are applied (PROVIDER_WEBHOOK_MAX_PARTS)`);
        break;
      }
    }
    const ending = () => {
      const errors = faults.text();
      const params = [webhook_id, errors ? 'broken' : 'applied', errors, context.own.organizationId];
      return { text: appliedPart, params, onlyWithEnd: true };
    };
    if (!last) return finishWithStatuses(context, { statuses, where, faults }, ending);
    const { message, received } = last;
    return finishWithPlain(context, last, { ending, otherwise: () => applyOne(message, received.place) });
  },
  claimWebhook,
);

/** SQL: a part of the ledger's statement. */
const appliedPart: PartText = (id, state, errors, organization) => `
  applied as (
    update provider_webhooks
       set state = ${state}, errors = ${errors}, applied_at = clock_timestamp()
     where organization_id = ${organization} and id = ${id} and exists (select 1 from ended))`;

/** NUL and half a surrogate pair, as JSON.stringify writes them: PostgreSQL's text cannot hold them. */
const unstorable = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

/** An invalid body must not be retried for ever. */
function changesIn(body: Buffer, faults: FaultList): RawChange[] {
  try {
    return JSON.parse(body.toString('utf8').replace(unstorable, '$1\ufffd'));
  } catch (error) {
    faults.add(reasonOf(error), 'body');
    return [];
  }
}

type OtherPart = Exclude<InboundPart, InboundStatus | InboundIgnored>;

/** `onlyChannelId`: the channel whose own app signed the body; null: the installation's app, valid for all channels. */
async function applyPart(
  { own, transact, secrets, config, flowMetrics }: RunContext<unknown>,
  { channel_id: onlyChannelId, received_at: at }: WebhookRow,
  part: OtherPart,
  place: number,
) {
  const applying = { transact, secrets, stopWords: config.stopWords, received: { at, place }, matched: flowMetrics.answered };
  switch (part.kind) {
    case 'template_change':
      await applyTemplateChange(own, transact, part, onlyChannelId);
      return;
    case 'flow_change':
      flowMetrics.told(await applyFlowChange(own, transact, part, onlyChannelId));
      return;
    case 'number_news':
      await applyNumberNews(own, transact, part, onlyChannelId);
      return;
    case 'message': {
      const channelId = await channelOf(own, onlyChannelId, part.phoneNumberId);
      if (channelId && part.groupId !== undefined)
        await applyGroupMessage(own, applying, channelId, { ...part, groupId: part.groupId });
      else if (channelId && part.identityChange) await applyChangeMessage(own, applying, channelId, part, part.identityChange);
      else if (channelId && part.amendment) await applyAmendment(own, applying, channelId, part, part.amendment);
      else if (channelId) await applyMessage(applying, channelId, part);
      return;
    }
    case 'identity_change': {
      const { phoneNumberId, change } = part;
      const isOurs = !phoneNumberId || (await channelOf(own, onlyChannelId, phoneNumberId));
      if (isOurs) await applyIdentityChange(transact, secrets, change);
      return;
    }
    case 'preference': {
      const channelId = await channelOf(own, onlyChannelId, part.phoneNumberId);
      if (channelId) await applyPreference(transact, secrets, part);
    }
  }
}

async function channelOf(own: Own, onlyChannelId: string | null, phoneNumberId: string): Promise<string | undefined> {
  // SQL: the same statement with and without a channel, prepared once (bench: inbound).
  const [row] = await own.sql<RowOf<typeof Channel, 'id'>>(
    `select id
       from channels
      where organization_id = $1 and phone_number_id = $2 and deleted_at is null and ($3::uuid is null or id = $3)`,
    [phoneNumberId, onlyChannelId],
  );
  return row?.id;
}
