import { Gauge, type Registry } from 'prom-client';
import type { Database, Em } from '../database/database.ts';
import { query } from '../database/query.ts';
import { withinMs } from '../ledger/backends/backend.ts';
import { queueNames } from '../ledger/queue-names.ts';
import {
  type AutomationFigures,
  automationGauges,
  heldStarts,
  liveRuns,
  rulesByStatus,
  rulesPausedLately,
} from './automation-figures.ts';
import { type CampaignFigures, campaignGauges, campaignsByStatus, overdueCampaigns } from './campaign-figures.ts';
import { type DeliveryFigures, deliveryGauges } from './delivery-figures.ts';
import {
  brokenWebhooks,
  channelsByStatus,
  connectionsByStatus,
  endedJobs,
  endedStates,
  failingEndpoints,
  liveJobs,
  liveStates,
  purgesDone,
  refusedConnections,
  stuckPoolCount,
  unappliedWebhooks,
  unsyncedBookings,
} from './figures.ts';

type Figures = DeliveryFigures &
  CampaignFigures &
  AutomationFigures & {
    unapplied: { bodies: number; oldest: number };
    broken: number;
    stuckPools: number;
    channels: { status: string; channels: number }[];
    connections: { status: string; connections: number }[];
    refused: number;
    unsynced: number;
    purges: { table_name: string; at: number }[];
  };

/** Of channels and connections, as their domains name them. */
const connectionStates = ['connected', 'disconnected', 'auth_error', 'restricted'];

const limitMs = 2_000;
/** Reads at most once in this time, however often it is scraped. */
const freshMs = 5_000;
/** A long ledger is expensive to count: reading takes at most a fiftieth of the time. */
const restTimes = 50;
const maxRestMs = 60_000;

/** Every process has these gauges: any one is enough, a sum counts them twice. Late figures are left out. */
export function createDatabaseFigures(registry: Registry, database: Database): () => Promise<void> {
  const gauges = createGauges(registry);
  let askAgainAt = 0;
  let reading: Promise<Figures> | undefined;
  return async () => {
    if (performance.now() < askAgainAt) return;
    const startedAt = performance.now();
    reading ??= read(database).finally(() => {
      reading = undefined;
    });
    // The next scrape waits for a late reading instead of starting another.
    const figures = await withinMs(reading, limitMs + 500, 'The database').catch(() => undefined);
    gauges.show(figures);
    const tookMs = performance.now() - startedAt;
    askAgainAt = figures ? performance.now() + Math.min(Math.max(freshMs, tookMs * restTimes), maxRestMs) : 0;
  };
}

const read = (database: Database): Promise<Figures> =>
  database.transaction(async (em) => {
    // SQL: a setting of the transaction.
    await query(em, `select set_config('statement_timeout', $1, true)`, [String(limitMs)]);
    return {
      live: await query<Figures['live'][number]>(em, liveJobs),
      ended: await query<Figures['ended'][number]>(em, endedJobs),
      failing: await only<Figures['failing']>(em, failingEndpoints),
      unapplied: await only<Figures['unapplied']>(em, unappliedWebhooks),
      broken: (await only<{ bodies: number }>(em, brokenWebhooks)).bodies,
      stuckPools: (await only<{ pools: number }>(em, stuckPoolCount)).pools,
      channels: await query(em, channelsByStatus),
      connections: await query(em, connectionsByStatus),
      refused: (await only<{ oldest: number }>(em, refusedConnections)).oldest,
      unsynced: (await only<{ oldest: number }>(em, unsyncedBookings)).oldest,
      campaigns: await query(em, campaignsByStatus),
      overdueCampaigns: (await only<{ oldest: number }>(em, overdueCampaigns)).oldest,
      liveRuns: await query(em, liveRuns),
      rules: await query(em, rulesByStatus),
      rulesPausedLately: (await only<{ rules: number }>(em, rulesPausedLately)).rules,
      heldStarts: await query(em, heldStarts),
      purges: await query(em, purgesDone),
    };
  });

async function only<Row>(em: Em, statement: string): Promise<Row> {
  const [row] = await query<Row>(em, statement);
  return row!;
}

function createGauges(registry: Registry) {
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const up = gauge('kanal_database_up', 'Whether the figures of the database could be read in time');
  const jobs = gauge(
    'kanal_jobs',
    'Jobs in the ledger by queue and state; held: their channel or endpoint is on hold',
    'queue',
    'state',
  );
  const overdue = gauge(
    'kanal_jobs_oldest_overdue_seconds',
    'How long the oldest job that could have run is waiting by now, whatever holds it up; 0: none is overdue',
    'queue',
    'state',
  );
  const unapplied = gauge('kanal_provider_webhooks_unapplied', 'Bodies received from the provider and not applied yet');
  const oldest = gauge('kanal_provider_webhooks_oldest_unapplied_seconds', 'Age of the oldest of them');
  const broken = gauge('kanal_provider_webhooks_broken', 'Bodies of which a part could not be applied');
  const stuck = gauge(
    'kanal_pools_stuck',
    'Channels and endpoints that have work and room, are not held, and of which nothing was claimed for a minute',
  );
  const channels = gauge('kanal_channels', 'Channels by status; only those that are connected send', 'status');
  const connections = gauge('kanal_connections', 'Connections by status; what needs one that is not connected waits', 'status');
  const refused = gauge(
    'kanal_connections_oldest_refused_seconds',
    'How long the connection whose account is refused for the longest has been so; 0: none is',
  );
  const unsynced = gauge(
    'kanal_bookings_oldest_unsynced_seconds',
    'How long the booking whose calendar is behind for the longest has been so; 0: none is. One that waits for a refused connection is not counted',
  );
  const deliveries = deliveryGauges(registry);
  const campaigns = campaignGauges(registry);
  const automation = automationGauges(registry);
  const purged = gauge(
    'kanal_retention_completed_timestamp_seconds',
    'When the last purge of a table that left nothing to delete ended, in any worker; 0: none has yet',
    'table',
  );
  return {
    show(figures: Figures | undefined) {
      for (const labelled of [jobs, overdue, channels, connections, purged]) labelled.reset();
      for (const single of [unapplied, oldest, broken, stuck, refused, unsynced]) single.remove();
      up.set(figures ? 1 : 0);
      deliveries.show(figures);
      campaigns.show(figures);
      automation.show(figures);
      if (!figures) return;
      for (const queue of queueNames) {
        for (const state of [...liveStates, ...endedStates]) jobs.set({ queue, state }, 0);
        for (const state of liveStates) overdue.set({ queue, state }, 0);
      }
      for (const { queue, state, jobs: count } of [...figures.live, ...figures.ended]) jobs.inc({ queue, state }, count);
      const inOrder = [...figures.live].sort((one, other) => one.overdue - other.overdue);
      for (const { queue, state, overdue: seconds } of inOrder) overdue.set({ queue, state }, seconds);
      unapplied.set(figures.unapplied.bodies);
      oldest.set(figures.unapplied.oldest);
      broken.set(figures.broken);
      stuck.set(figures.stuckPools);
      for (const status of connectionStates) channels.set({ status }, 0);
      for (const { status, channels: count } of figures.channels) channels.set({ status }, count);
      for (const status of connectionStates) connections.set({ status }, 0);
      for (const { status, connections: count } of figures.connections) connections.set({ status }, count);
      refused.set(figures.refused);
      unsynced.set(figures.unsynced);
      for (const { table_name: table, at } of figures.purges) purged.set({ table }, at);
    },
  };
}
