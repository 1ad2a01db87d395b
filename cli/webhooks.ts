import { maxCounted, maxListed, troubledEndpoints } from '../src/operator/webhook-endpoints.ts';
import { replayDeliveries, replayOneDelivery } from '../src/operator/webhook-replays.ts';
import { readRetention } from '../src/platform/config/config.ts';
import type { ReplayKind } from '../src/webhooks/replay/replay.entity.ts';
import { replayablePatterns } from '../src/webhooks/replay/request.ts';
import { idArgument, limitArgument, timeArgument } from './arguments.ts';
import type { Column } from './columns.ts';
import { withDatabase, withLedger } from './connect.ts';
import { eachOf } from './each-of.ts';
import { type ListOptions, printList, time } from './print-list.ts';

const counted = (count: number) => (count < maxCounted ? String(count) : `${maxCounted} or more`);

type Narrowed = { organization?: string; limit: string } & ListOptions;

export async function listEndpointsCommand({ organization, limit, ...options }: Narrowed) {
  const wanted = {
    limit: limitArgument(limit, maxListed),
    ...(organization !== undefined && { organizationId: idArgument(organization, 'an organization') }),
  };
  const { rows, isMore } = await withDatabase((database) => troubledEndpoints(database, wanted));
  const shown: Column<(typeof rows)[number]>[] = [
    ['endpoint', (row) => row.id],
    ['organization', (row) => row.organization_id],
    ['host', (row) => row.host],
    [
      'is',
      ({ enabled, disabled_reason: why, failing_since: since }) =>
        enabled ? (since ? 'failing' : 'enabled') : `disabled, ${why}`,
    ],
    ['failing since', (row) => time(row.failing_since)],
    ['pending', (row) => counted(row.pending)],
    ['overdue since', (row) => time(row.overdue_since_at)],
    ['failed', (row) => counted(row.failed)],
    ['last failed', (row) => time(row.last_failed_at)],
  ];
  if (rows.length === 0 && !options.json) console.log('Every webhook endpoint is enabled, and nothing is overdue or has failed');
  else printList(rows, shown, options);
  if (isMore) console.error(`These are the first ${rows.length}, and there are more: --limit, --organization`);
}

const waits = {
  endpoint: 'waits until its endpoint is enabled',
  order: 'waits for its turn among the events of its subject',
  attempt: 'is being tried at this moment',
};

export async function replayDeliveriesCommand(texts: string[]) {
  const ids = texts.map((text) => idArgument(text, 'a webhook delivery'));
  await withLedger(({ transact }, database) =>
    eachOf(ids, async (id) => {
      const { waitsFor } = await replayOneDelivery({ database, transact }, id);
      return `Delivery ${id} ${waitsFor ? waits[waitsFor] : 'is tried now'}`;
    }),
  );
}

type Range = { since?: string; until?: string; types?: string };

/** Prints the id of the operation, which `operations show` takes. */
export async function replayCommand(kind: ReplayKind, text: string, { since, until, types }: Range) {
  const endpointId = idArgument(text, 'a webhook endpoint');
  const request = {
    kind,
    endpointId,
    ...(since !== undefined && { since: timeArgument(since) }),
    ...(until !== undefined && { until: timeArgument(until) }),
    ...(types !== undefined && { eventTypes: typesArgument(types) }),
  };
  const { retentionEventsDays } = readRetention();
  const { operationId, isNew, isPaused } = await withLedger(({ transact }, database) =>
    replayDeliveries({ database, transact }, request, retentionEventsDays),
  );
  console.log(operationId);
  if (isNew) console.error(`See how far it is: kanal operations show ${operationId}`);
  else if (isPaused) console.error(`It was asked for before and is paused: kanal operations resume ${operationId}`);
  else console.error('It was asked for before and is not over yet');
}

function typesArgument(text: string): string[] {
  const types = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  const unknown = types.filter((type) => !replayablePatterns.includes(type));
  if (types.length === 0) throw new Error('No event type is named');
  if (unknown.length > 0)
    throw new Error(`Not an event type: ${unknown.join(', ')}. There are: ${replayablePatterns.join(', ')}`);
  return types;
}
