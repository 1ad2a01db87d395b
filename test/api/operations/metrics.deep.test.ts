import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { queueNames } from '../../../src/platform/ledger/queue-names.ts';
import { purges } from '../../../src/platform/retention/purges.ts';
import type { RunningWorker } from '../../../workers/start.ts';
import { type Body, useApp } from '../../support/app.ts';
import { bookingMade, serviceMade, staffMade } from '../../support/calendar.ts';
import { databaseTimer } from '../../support/database-time.ts';
import { campaign } from '../../support/factories/campaign.ts';
import { type Exposition, readExposition } from '../../support/prometheus.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { storedEvents } from '../../support/stored/api-events.ts';
import { storedJobs, storedPools } from '../../support/stored/api-jobs.ts';
import { storedCampaigns, storedRecipients } from '../../support/stored/campaigns.ts';
import { storedChannels, storedConnections } from '../../support/stored/channels.ts';
import { storedProviderWebhooks } from '../../support/stored/messaging.ts';
import { ago, now } from '../../support/stored/times.ts';
import { storedDeliveryAttempts, storedEndpoints } from '../../support/stored/webhooks.ts';
import { waitFor } from '../../support/wait-for.ts';

const token = 'token-of-the-scraper';
const app = useApp({ env: { METRICS_TOKEN: token, HEALTH_PORT: '0' } });
const closed = useApp({ workers: true, env: { HEALTH_PORT: '0' } });

let worker: RunningWorker;
let receiver: Receiver;
let web: Exposition;
let jobs: Exposition;
/** The two of one message: sent, and refused by the provider. */
const messageIds: string[] = [];

const scrape = (base: string, authorization = `Bearer ${token}`) =>
  fetch(`${base}/metrics`, { headers: authorization ? { authorization } : {} });
const ofWorker = (port: number | undefined) => `http://127.0.0.1:${port}`;
const lines = (msg: string) => app.log.lines.filter((line) => line.msg === msg);
/** How often each set of fields stands in the log: what the counters must say too. */
const logged = (msg: string, ...fields: string[]) => {
  const counts: Record<string, number> = {};
  for (const line of lines(msg)) {
    const key = fields.map((field) => line[field] ?? 'none').join(' ');
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
};
const counted = (page: Exposition, name: string, ...labels: string[]) =>
  Object.fromEntries(
    page.samples.filter((one) => one.name === name).map((one) => [labels.map((label) => one.labels[label]).join(' '), one.value]),
  );

/** Everything once: a message through all its statuses, a delivery that fails and is repeated, refusals, a hold, a backlog. */
async function journey() {
  // Nothing is purged while the test looks: it was the events' turn long ago, and everybody's next is in an hour.
  await app.rows(
    `insert into purges (table_name, started_at, next_at, finished_at)
     select name, now(), now() + interval '1 hour', case name when 'events' then '2026-01-02T03:04:05Z'::timestamptz end from unnest($1::text[]) name`,
    [purges.map(({ table }) => table)],
  );
  const channel = await app.connect();
  await app.call('webhooks.endpoints.create', {
    body: { url: receiver.url, event_types: ['message.sent'], headers: { 'x-own': 'secret value' } },
  });
  receiver.answer({ status: 500 }, {});
  const { phone } = await app.conversation(channel);
  const sent = (await app.text(channel, phone)).body.data.id;
  await app.messageIn(sent, 'read');

  await app.fault(channel, { status: 400, code: 131026 });
  const refused = (await app.text(channel, phone)).body.data.id;
  await app.messageIn(refused, 'failed');
  messageIds.push(sent, refused);

  await app.text(channel, phone, { type: 'none' });
  await app.call('messages.send', { key: 'kk_wrong', body: {} });
  await app.raw('GET', '/v1/nowhere/017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
  const synced = { params: { channelID: channel.id }, headers: { prefer: 'wait=5' } };
  expect((await app.call('templates.sync', synced)).headers.get('preference-applied')).toBe('wait=5');
  await waitFor('the second try', () => receiver.received.length === 2);
  await waitFor('its end', async () => (await storedJobs.count(app, { state: ['queued', 'waiting'] })) === 0);

  const stopped = await app.connect();
  await app.idle();
  await app.hold(stopped);
  const other = await app.conversation(stopped);
  for (const _ of [1, 2]) await app.text(stopped, other.phone);
  await app.rows(
    `update jobs set run_at = clock_timestamp() - case state when 'blocked' then interval '200 s' else interval '900 s' end where pool = $1`,
    [`channel:${stopped.id}`],
  );
  await backlog();
}

let sinceBacklog: () => Promise<number>;
/** How long after it the figures were read. */
let laterSeconds = 0;

/** Rows as a worker that lags and a receiver that is slow would leave them; their names are nobody's, and the sweeper is not due. */
async function backlog() {
  sinceBacklog = await databaseTimer(app.em());
  const row = (queue: string, state: string, pool: string | null, age: string, slot = false) =>
    app.rows(
      `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, pool, state, run_at, slot_at, check_at)
       values (uuidv7(), $1, 'webhooks.deliver', $2, '{}', 'webhook_delivery', uuidv7(), $3, $4, clock_timestamp() - $5::interval, case when $6 then clock_timestamp() end, clock_timestamp() + interval '1 hour')`,
      [app.tenant.organizationId, queue, pool, state, age, slot],
    );
  await storedPools.add(app, { organization_id: app.tenant.organizationId, id: 'endpoint:full', width: 1 });
  await storedPools.add(app, {
    organization_id: app.tenant.organizationId,
    id: 'endpoint:gone',
    width: 1,
    held_until: 'infinity',
  });
  await row('webhooks', 'waiting', 'endpoint:gone', '2 hours');
  await row('webhook-retries', 'queued', 'endpoint:full', '30 s', true);
  await storedJobs.change(app, { queue: 'webhook-retries', state: 'queued' }, { attempts: 1 });
  await row('webhook-retries', 'waiting', 'endpoint:full', '300 s');
  await row('webhook-retries', 'waiting', 'endpoint:full', '100 s');
  // A later try is not overdue before its time.
  await row('default', 'queued', null, '-1 hour');
  for (const enabled of [true, false])
    await storedEndpoints.add(app, {
      organization_id: app.tenant.organizationId,
      url: 'https://hooks.example.com',
      event_types: [],
      ordering: 'best_effort',
      secret: '',
      enabled,
      failing_since: enabled ? ago(1, 'hour') : null,
    });
  for (const [n, status] of ['restricted', 'auth_error', 'auth_error', 'disconnected'].entries())
    await storedChannels.add(app, {
      organization_id: app.tenant.organizationId,
      provider: 'messaging_app',
      name: '',
      phone_number_id: `n${n}`,
      account_id: '',
      display_phone: '',
      status,
      access_token: '',
      rate: 1,
      deleted_at: status === 'disconnected' ? now() : null,
    });
  for (const state of ['received', 'received', 'broken'])
    await storedProviderWebhooks.add(app, {
      organization_id: app.tenant.organizationId,
      body: Buffer.from('[]'),
      state,
      received_at: ago(90, 'second'),
    });
}

/** One that nobody feeds, with somebody who has been due for half an hour, and one that is paused. */
async function campaigns() {
  const of = app.tenant.organizationId;
  const [channel] = await storedChannels.all(app, { organization_id: of, status: 'connected' });
  await campaign(app.em(), of, { status: 'paused', phase: 'sending' });
  const { id } = await campaign(app.em(), of, { status: 'running', phase: 'sending', channelIds: [channel.id] });
  await storedCampaigns.change(app, id, { zones: ['UTC'] });
  await storedRecipients.add(app, { organization_id: of, campaign_id: id, channel_id: channel.id, due_at: ago(30, 'minute') });
}

/** Four bookings of one hour each, their calendars as a refused connection, a fault and a sync leave them. */
async function bookings() {
  const of = app.tenant.organizationId;
  for (const [status, minutes] of [
    ['restricted', 90],
    ['auth_error', 20],
    ['auth_error', 10],
    ['disconnected', 180],
  ] as const)
    await storedConnections.add(app, {
      organization_id: of,
      kind: 'calendar',
      provider: 'google',
      name: '',
      status,
      credentials: status === 'disconnected' ? null : 'x',
      deleted_at: status === 'disconnected' ? now() : null,
      last_error_at: ago(minutes, 'minute'),
    });
  const staff = await staffMade(app, { calendar: false });
  const serviceId = await serviceMade(app);
  const calendars = [
    ['pending', '45 minutes'],
    ['pending', '5 minutes'],
    ['failed', '3 hours'],
    ['synced', '4 hours'],
  ];
  for (const [status, age] of calendars) {
    const { bookingId } = await bookingMade(app, staff, serviceId);
    await app.rows(
      `insert into booking_calendars (organization_id, booking_id, status, pending_since)
       values ($1, $2, $3, clock_timestamp() - $4::interval)`,
      [of, bookingId, status, age],
    );
  }
}

beforeAll(async () => {
  receiver = await startReceiver();
  worker = await app.startWorkers();
  await journey();
  await bookings();
  await campaigns();
  await waitFor('the log of every request', () => lines('request').length >= 12);
  await waitFor('a sweep', async () => {
    const text = await (await scrape(ofWorker(worker.healthPort))).text();
    return /^kanal_sweeps_total\{outcome="done"\} [1-9]/m.test(text);
  });
  web = readExposition(await (await scrape(app.base)).text());
  jobs = readExposition(await (await scrape(ofWorker(worker.healthPort))).text());
  laterSeconds = (await sinceBacklog()) / 1_000;
});
afterAll(() => receiver.close());

describe('who may scrape', () => {
  const bases: [string, () => string][] = [
    ['web', () => app.base],
    ['worker', () => ofWorker(worker.healthPort)],
  ];

  describe.each(bases)('%s', (_process, base) => {
    test.each([
      ['nothing', ''],
      ['another token', 'Bearer token-of-the-scrapes'],
      ['the scheme alone', 'Bearer'],
      ['no scheme', token],
      ['another scheme', `Basic ${Buffer.from(`prometheus:${token}`).toString('base64')}`],
      ['more than a token', `Bearer ${token} x`],
    ])('%s: 401 that asks for it', async (_what, authorization) => {
      const reply = await scrape(base(), authorization);
      expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="Kanal metrics"']);
      expect(await reply.text()).not.toContain('kanal_');
    });

    test('the token, in the format of Prometheus', async () => {
      const reply = await scrape(base(), `bearer ${token}`);
      expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
      readExposition(await reply.text());
    });
  });

  test('without a token in the configuration there is nothing to scrape', async () => {
    const ready = await waitFor('the other worker', () => closed.log.lines.some(({ msg }) => msg === 'working'));
    expect(ready).toBe(true);
    const own = await closed.startWorkers();
    for (const base of [closed.base, ofWorker(own.healthPort)]) expect((await scrape(base)).status).toBe(404);
  });

  test('a scrape is no request of anybody: no line in the log but of a refused one, no figure', () => {
    expect(lines('request').filter(({ path }) => path === '/metrics')).toEqual([]);
    expect(web.value('kanal_http_requests_in_flight')).toBe(0);
  });
});

describe('the names', () => {
  const both = [
    'kanal_bookings_oldest_unsynced_seconds',
    'kanal_build_info',
    'kanal_calendar_syncs_total',
    'kanal_automation_held_starts',
    'kanal_automation_rules',
    'kanal_automation_rules_paused_by_themselves',
    'kanal_automation_runs',
    'kanal_campaigns',
    'kanal_campaigns_oldest_overdue_seconds',
    'kanal_channels',
    'kanal_clock_skew_seconds',
    'kanal_connections',
    'kanal_connections_oldest_refused_seconds',
    'kanal_database_connection_waiters',
    'kanal_database_connections',
    'kanal_database_up',
    'kanal_jobs',
    'kanal_jobs_oldest_overdue_seconds',
    'kanal_order_moves_total',
    'kanal_payment_sessions_total',
    'kanal_pools_stuck',
    'kanal_provider_call_duration_seconds',
    'kanal_provider_webhooks_broken',
    'kanal_provider_webhooks_oldest_unapplied_seconds',
    'kanal_provider_webhooks_unapplied',
    'kanal_queue_up',
    'kanal_retention_completed_timestamp_seconds',
    'kanal_shipments_total',
    'kanal_webhook_deliveries',
    'kanal_webhook_deliveries_oldest_overdue_seconds',
    'kanal_webhook_endpoints_failing',
    'kanal_webhook_endpoints_failing_longest_seconds',
  ];
  const http = ['requests_total', 'request_duration_seconds', 'wait_duration_seconds', 'requests_in_flight'];
  const work = [
    'kanal_busy_copies_total',
    'kanal_connection_webhooks_total',
    'kanal_flow_answers_total',
    'kanal_flow_webhooks_total',
    'kanal_job_faults_total',
    'kanal_job_paced_total',
    'kanal_job_runs_total',
    'kanal_job_try_duration_seconds',
    'kanal_received_files_total',
    'kanal_retention_rows_deleted_total',
    'kanal_sweep_completed_timestamp_seconds',
    'kanal_sweep_duration_seconds',
    'kanal_sweeper_findings_total',
    'kanal_sweeps_total',
    'kanal_webhook_attempt_duration_seconds',
    'kanal_webhook_attempt_phase_duration_seconds',
    'kanal_webhook_attempts_total',
  ];
  const own = (page: Exposition) => [...page.types.keys()].filter((name) => name.startsWith('kanal_')).sort();

  test('are these, and each is looked at below', () => {
    const ofWeb = ['kanal_flow_exchange_duration_seconds', ...http.map((name) => `kanal_http_${name}`)];
    expect(own(web)).toEqual([...both, ...ofWeb].sort());
    expect(own(jobs)).toEqual([...both, ...work].sort());
  });

  test("follow Prometheus' conventions, and no label holds an id, a path or a person", () => {
    for (const page of [web, jobs]) {
      for (const [name, type] of page.types) {
        if (!name.startsWith('kanal_')) continue;
        expect(name.endsWith('_total')).toBe(type === 'counter');
        if (type === 'histogram') expect(name).toMatch(/_seconds$/);
        expect(name).not.toMatch(/_(ms|milliseconds|minutes|count|sum|bucket)$/);
      }
      for (const { name, labels } of page.samples.filter(
        (one) => one.name.startsWith('kanal_') && one.name !== 'kanal_build_info',
      ))
        for (const [label, value] of Object.entries(labels))
          if (label !== 'le')
            expect([name, label, value]).toEqual([name, label, expect.stringMatching(/^[A-Za-z0-9._-]{1,40}$/)]);
      expect(
        page.samples.flatMap(({ labels }) => Object.values(labels)).filter((value) => /[0-9a-f]{8}-[0-9a-f]{4}-/.test(value)),
      ).toEqual([]);
    }
  });

  test("Node's own are there: event loop, memory, garbage", () => {
    for (const page of [web, jobs])
      for (const name of ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes', 'process_cpu_seconds_total'])
        expect(page.value(name)).toBeGreaterThanOrEqual(0);
  });
});

describe('the web process', () => {
  test('counts every request the log tells of, by operation, method and status', () => {
    const expected = logged('request', 'operation', 'method', 'status');
    expect(counted(web, 'kanal_http_requests_total', 'operation', 'method', 'status')).toEqual(expected);
    expect(expected).toEqual({
      'channels.connect POST 201': 2,
      'webhooks.endpoints.create POST 201': 1,
      'messages.send POST 201': 4,
      'messages.send POST 422': 1,
      'messages.send POST 401': 1,
      'templates.sync POST 200': 1,
      'none GET 404': 1,
      'provider-webhooks.receive POST 200': 3,
    });
  });

  test('has a latency of each, and of one that asked to wait apart from them', () => {
    const name = 'kanal_http_request_duration_seconds';
    expect(counted(web, `${name}_count`, 'operation', 'method', 'status_class')).toEqual({
      'channels.connect POST 2xx': 2,
      'webhooks.endpoints.create POST 2xx': 1,
      'messages.send POST 2xx': 4,
      'messages.send POST 4xx': 2,
      'none GET 4xx': 1,
      'provider-webhooks.receive POST 2xx': 3,
    });
    const logged = lines('request').filter((line) => line.operation === 'messages.send' && line.status === 201);
    const seconds = logged.reduce((sum, line) => sum + Number(line.duration_ms), 0) / 1000;
    const sum = web.value(`${name}_sum`, { operation: 'messages.send', status_class: '2xx' });
    // Two clocks a moment apart, around the same four requests.
    expect(Math.abs(sum - seconds)).toBeLessThan(0.2 + seconds / 2);
    expect(counted(web, 'kanal_http_wait_duration_seconds_count', 'operation')).toEqual({ 'templates.sync': 1 });
  });

  test('has the calls it made itself', () => {
    expect(counted(web, 'kanal_provider_call_duration_seconds_count', 'provider', 'call', 'outcome')).toEqual({
      'messaging_app ownsNumber ok': 2,
      'messaging_app readNumber ok': 2,
    });
  });
});

describe('the worker', () => {
  test('counts every run the log tells of, by queue, job and outcome', () => {
    const runs = counted(jobs, 'kanal_job_runs_total', 'job', 'outcome');
    const perJob: Record<string, number> = {};
    for (const { labels, value } of jobs.samples.filter((one) => one.name === 'kanal_job_runs_total'))
      perJob[`${labels.job} ${labels.outcome}`] = (perJob[`${labels.job} ${labels.outcome}`] ?? 0) + value;
    expect(perJob).toEqual(logged('job', 'job', 'outcome'));
    expect(runs).toMatchObject({
      'messages.send done': 1,
      'messages.send failed': 1,
      'templates.sync done': 3,
      'provider-webhooks.apply done': 3,
    });
    const deliveries = { job: 'webhooks.deliver' };
    expect(jobs.value('kanal_job_runs_total', { ...deliveries, queue: 'webhooks', outcome: 'again' })).toBe(1);
    expect(jobs.value('kanal_job_runs_total', { ...deliveries, queue: 'webhook-retries', outcome: 'done' })).toBe(1);
    expect(jobs.samples.filter(({ name }) => name === 'kanal_job_faults_total')).toEqual([]);
  });

  test('has the time of each attempt', () => {
    const attempts = Object.entries(logged('job', 'job', 'outcome')).filter(([key]) => / (done|again|wait|failed)$/.test(key));
    expect(counted(jobs, 'kanal_job_try_duration_seconds_count', 'job', 'outcome')).toEqual(Object.fromEntries(attempts));
  });

  test('has the calls to the provider by what came back', async () => {
    const name = 'kanal_provider_call_duration_seconds_count';
    expect(counted(jobs, name, 'provider', 'call', 'outcome')).toEqual({
      'messaging_app send ok': 1,
      'messaging_app send refused': 1,
      'messaging_app listTemplates ok': 3,
    });
    const { requests } = await app.control('GET', '/requests?method=POST');
    expect(requests.filter(({ path }: Body) => path.endsWith('/messages'))).toHaveLength(2);
    expect(messageIds).toHaveLength(2);
  });

  test('has the tries of deliveries by answer, as the table of attempts has them', async () => {
    const name = 'kanal_webhook_attempt_duration_seconds';
    expect(counted(jobs, `${name}_count`, 'result')).toEqual({ '2xx': 1, '5xx': 1 });
    const attempts = await storedDeliveryAttempts.all(app, {}, { columns: ['status', 'duration_ms'], orderBy: 'number' });
    expect(attempts.map(({ status }) => status)).toEqual([500, 200]);
    for (const { status, duration_ms } of attempts)
      expect(jobs.value(`${name}_sum`, { result: `${status / 100}xx` })).toBeCloseTo(duration_ms / 1000, 6);
  });

  test('has what became of them, every outcome and class of error from the start', () => {
    const attempts = counted(jobs, 'kanal_webhook_attempts_total', 'outcome', 'error_class');
    const classes = ['dns', 'connect', 'tls', 'ssrf', 'timeout', 'http'];
    const none = Object.fromEntries(
      ['retrying', 'failed', 'test_failed'].flatMap((outcome) => classes.map((name) => [`${outcome} ${name}`, 0] as const)),
    );
    expect(attempts).toEqual({ ...none, 'retrying http': 1, 'succeeded none': 1 });
  });

  test('has their phases: no lookup of an address, and a connection that may be used again', () => {
    const name = 'kanal_webhook_attempt_phase_duration_seconds';
    const counts = counted(jobs, `${name}_count`, 'phase');
    expect(Object.keys(counts).sort()).toEqual(['body', 'connect', 'response']);
    expect([counts.response, counts.body]).toEqual([2, 2]);
    expect([1, 2]).toContain(counts.connect);
    const total = Object.values(counted(jobs, `${name}_sum`, 'phase')).reduce((sum, seconds) => sum + seconds, 0);
    const attempts = jobs.values('kanal_webhook_attempt_duration_seconds_sum').reduce((sum, seconds) => sum + seconds, 0);
    expect(total).toBeLessThanOrEqual(attempts + 0.002);
  });

  test('says all of an attempt in one line of the log, and nothing of what was sent', async () => {
    const told = lines('job').filter(({ job }) => job === 'webhooks.deliver');
    const [event] = await storedEvents.all(app, { type: 'message.sent' }, { columns: ['id'] });
    const endpoint = (await storedEndpoints.all(app)).find(({ url }) => url.startsWith('http:'));
    const all = {
      event_id: event.id,
      event_type: 'message.sent',
      endpoint_id: endpoint.id,
      organization_id: app.tenant.organizationId,
      subject: expect.stringMatching(/^webhook_delivery:/),
      trigger: 'schedule',
      request_ms: expect.any(Number),
      response_ms: expect.any(Number),
      body_ms: expect.any(Number),
      duration_ms: expect.any(Number),
    };
    expect(told).toHaveLength(2);
    const failure = { status: 500, error_class: 'http', phase: 'response', connect_ms: expect.any(Number) };
    expect(told[0]).toMatchObject({ ...all, ...failure, attempt: 1, outcome: 'again' });
    expect(Date.parse(told[0]!.next_attempt_at as string)).toBeGreaterThan(Date.now() - 60_000);
    expect(told[1]).toMatchObject({ ...all, attempt: 2, outcome: 'done', status: 200 });
    for (const name of ['next_attempt_at', 'error_class', 'phase']) expect(told[1]).not.toHaveProperty(name);
    expect(JSON.stringify(told)).not.toMatch(/127\.0\.0\.1|whsec_|v1,|thank you|secret value/);
  });

  test('has what the sweeper found', async () => {
    expect(Object.keys(counted(jobs, 'kanal_sweeper_findings_total', 'finding'))).toEqual([
      'parked',
      'looked',
      'added',
      'rerun',
      'woken',
      'pools',
      'lanes',
    ]);
    expect(jobs.value('kanal_sweeper_findings_total', { finding: 'lanes' })).toBe(0);
    const since = Date.now() / 1000 - jobs.value('kanal_sweep_completed_timestamp_seconds');
    expect(since).toBeGreaterThanOrEqual(0);
    expect(since).toBeLessThan(60 + (await sinceBacklog()) / 1_000);
    expect(jobs.value('kanal_sweeps_total', { outcome: 'failed' })).toBe(0);
  });

  test('has what was deleted for its age, by table, from the start', () => {
    const deleted = counted(jobs, 'kanal_retention_rows_deleted_total', 'table');
    expect(Object.keys(deleted).sort()).toEqual([
      'automation_rules',
      'automation_runs',
      'bearer_tokens',
      'campaign_recipients',
      'campaigns',
      'connection_consents',
      'connection_webhooks',
      'contact_exports',
      'contact_imports',
      'crm_imports',
      'crm_tasks',
      'deal_revaluations',
      'deals',
      'draft_orders',
      'events',
      'flow_keys',
      'flow_secrets',
      'heartbeats',
      'idempotency_keys',
      'jobs',
      'login_limits',
      'mails',
      'media_assets',
      'media_files',
      'media_uploads',
      'message_attempts',
      'onboardings',
      'password_resets',
      'pools',
      'provider_webhooks',
      'quotes',
      'records',
      'segment_members',
      'segments',
      'sessions',
      'unmatched_statuses',
      'webhook_attempts',
      'webhook_deliveries',
      'webhook_endpoints',
      'webhook_replays',
    ]);
    expect(Object.values(deleted).every((count) => count === 0)).toBe(true);
  });
});

describe.each([
  ['web', () => web],
  ['worker', () => jobs],
])('what the database knows, told by the %s', (kind, read) => {
  test('jobs by queue and state: every pair, those with none too', () => {
    const expected: Record<string, number> = {};
    for (const queue of ['messages', 'bulk-messages', 'webhooks', 'webhook-retries', 'automations', 'statuses', 'default'])
      for (const state of ['blocked', 'waiting', 'queued', 'parked', 'held', 'failed', 'done']) expected[`${queue} ${state}`] = 0;
    Object.assign(expected, {
      'messages held': 2,
      'messages failed': 1,
      'webhooks held': 1,
      'webhook-retries waiting': 2,
      'webhook-retries queued': 1,
      'default queued': 1,
      'default done': 3,
    });
    expect(counted(read(), 'kanal_jobs', 'queue', 'state')).toEqual(expected);
  });

  test('the backlog of webhooks: every state, those with none too', () => {
    expect(counted(read(), 'kanal_webhook_deliveries', 'state')).toEqual({
      pending: 0,
      waiting: 2,
      blocked: 0,
      held: 1,
      retrying: 1,
      failed: 0,
    });
  });

  test('their oldest overdue delivery, what is held or throttled included', () => {
    const ages = counted(read(), 'kanal_webhook_deliveries_oldest_overdue_seconds', 'state');
    const about: Record<string, number> = { waiting: 300, held: 7_200, retrying: 30 };
    expect(Object.keys(ages)).toEqual(['pending', 'waiting', 'blocked', 'held', 'retrying']);
    for (const [state, seconds] of Object.entries(ages)) {
      expect(seconds).toBeGreaterThanOrEqual(about[state] ?? 0);
      expect(seconds).toBeLessThan(about[state] === undefined ? 0.001 : about[state] + laterSeconds + 30);
    }
  });

  test('campaigns by status, and how long one stands still', () => {
    const byStatus = { draft: 0, scheduled: 0, running: 1, paused: 1, completed: 0, cancelled: 0, failed: 0 };
    expect(counted(read(), 'kanal_campaigns', 'status')).toEqual(byStatus);
    const oldest = read().value('kanal_campaigns_oldest_overdue_seconds');
    expect(oldest).toBeGreaterThanOrEqual(1_800);
    expect(oldest).toBeLessThan(1_800 + laterSeconds + 30);
  });

  test('channels by status, without deleted ones', async () => {
    expect(counted(read(), 'kanal_channels', 'status')).toEqual({ connected: 2, disconnected: 0, auth_error: 2, restricted: 1 });
  });

  test('connections by status, without deleted ones', () => {
    expect(counted(read(), 'kanal_connections', 'status')).toEqual({
      connected: 0,
      disconnected: 0,
      auth_error: 2,
      restricted: 1,
    });
  });

  test('how long a connection is refused; a deleted one is none of them', () => {
    const oldest = read().value('kanal_connections_oldest_refused_seconds');
    expect(oldest).toBeGreaterThanOrEqual(5_400);
    expect(oldest).toBeLessThan(5_400 + laterSeconds + 30);
  });

  test('how long the oldest booking is not in its calendar; one that is, and one that failed, is none of them', () => {
    const oldest = read().value('kanal_bookings_oldest_unsynced_seconds');
    expect(oldest).toBeGreaterThanOrEqual(2_700);
    expect(oldest).toBeLessThan(2_700 + laterSeconds + 30);
  });

  test('endpoints that fail, and for how long; a disabled one is none of them', () => {
    expect(read().value('kanal_webhook_endpoints_failing')).toBe(1);
    const longest = read().value('kanal_webhook_endpoints_failing_longest_seconds');
    expect(longest).toBeGreaterThanOrEqual(3_600);
    expect(longest).toBeLessThan(3_600 + laterSeconds + 30);
  });

  test('the oldest overdue job, what is held or throttled included', () => {
    const ages = counted(read(), 'kanal_jobs_oldest_overdue_seconds', 'queue', 'state');
    const about: Record<string, number> = {
      'messages held': 900,
      'webhooks held': 7_200,
      'webhook-retries waiting': 300,
      'webhook-retries queued': 30,
    };
    expect(Object.keys(ages)).toHaveLength(5 * queueNames.length);
    for (const [key, seconds] of Object.entries(ages)) {
      expect(seconds).toBeGreaterThanOrEqual(about[key] ?? 0);
      expect(seconds).toBeLessThan(about[key] === undefined ? 0.001 : about[key] + laterSeconds + 30);
    }
  });

  test('unapplied and broken bodies of the provider', () => {
    expect(read().value('kanal_provider_webhooks_unapplied')).toBe(2);
    expect(read().value('kanal_provider_webhooks_broken')).toBe(1);
    const oldest = read().value('kanal_provider_webhooks_oldest_unapplied_seconds');
    expect(oldest).toBeGreaterThanOrEqual(90);
    expect(oldest).toBeLessThan(90 + laterSeconds + 1);
  });

  test('when a table was purged, what is up, how many connections', () => {
    const never = Object.fromEntries(purges.map(({ table }) => [table, 0]));
    expect(counted(read(), 'kanal_retention_completed_timestamp_seconds', 'table')).toEqual({
      ...never,
      events: Date.parse('2026-01-02T03:04:05Z') / 1000,
    });
    expect([read().value('kanal_database_up'), read().value('kanal_queue_up')]).toEqual([1, 1]);
    const connections = counted(read(), 'kanal_database_connections', 'state');
    expect(connections.idle! + connections.busy!).toBeGreaterThanOrEqual(1);
    expect(connections.idle! + connections.busy!).toBeLessThanOrEqual(15);
    expect(read().value('kanal_database_connection_waiters')).toBe(0);
  });

  test('what runs here', () => {
    const [{ labels, value }] = read().samples.filter(({ name }) => name === 'kanal_build_info') as [Body];
    expect([labels, value]).toEqual([
      { version: expect.stringMatching(/^\d+\.\d+\.\d+$/), process: kind, queue_backend: 'postgres' },
      1,
    ]);
  });
});
