import { knowJobs } from '../../src/jobs.ts';
import { operationFailed } from '../../src/platform/events/catalogue.ts';
import { webhookTest } from '../../src/platform/events/endpoint-events.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { subjectLock } from '../../src/platform/ledger/locks.ts';
import type { Providers } from '../../src/providers/index.ts';
import type { OutboundMail } from '../../src/providers/mail/provider.ts';
import { endpointLock } from '../../src/webhooks/endpoints.ts';
import type { SendOutcome, WebhookSender } from '../../src/webhooks/sender.ts';
import { sendMail } from '../../workers/mails/send-mail.ts';
import { deliver } from '../../workers/webhooks/deliver.ts';
import { endpoint } from './factories/endpoint.ts';
import { person } from './factories/person.ts';
import { type House, openHouse, type ToyHandler } from './house.ts';

type EndpointRow = { enabled: boolean; disabled_reason: string | null; failing_since: Date | null };
type Told = { type: string; data: Record<string, unknown>; receivers: string[] };
type MailRow = { kind: string; recipient: string; data: Record<string, string> };
type Meanwhile = { meanwhile?: () => Promise<unknown> };

export type Health = Awaited<ReturnType<typeof openHealth>>;

/** Two endpoints of one organization, and a receiver that answers what the test says; two owners, and an agent. Close it. */
export async function openHealth() {
  knowJobs();
  const house: House = await openHouse();
  const { organizationId } = house;
  const owners = [(await person(house.em(), organizationId)).email, (await person(house.em(), organizationId)).email];
  await person(house.em(), organizationId, 'agent');
  const sent: OutboundMail[] = [];
  house.deps.providers = { mail: { send: async (mail: OutboundMail) => void sent.push(mail) } } as unknown as Providers;
  let [endpointId, otherEndpointId] = ['', ''];

  const sql = house.sql;
  const endpointRow = async () =>
    (
      await sql<EndpointRow>('select enabled, disabled_reason, failing_since from webhook_endpoints where id = $1', [endpointId])
    )[0]!;

  /** A new delivery to the endpoint; its job. */
  async function accepted(): Promise<{ id: string; state: string }> {
    const operation_id = uuidv7();
    const data = { operation_id, name: 'templates.sync', code: 'internal', reason: 'No' };
    await house.ledger.transact({ locks: [subjectLock('operation', operation_id)] }, async (tx) => {
      tx.emit(operationFailed, data, { organizationId });
    });
    const [job] = await sql<{ id: string; state: string }>(
      `select j.id, j.state from jobs j join webhook_deliveries d on d.id = j.subject_id join events e on e.id = d.event_id
        where e.subject_id = $1 and d.endpoint_id = $2`,
      [operation_id, endpointId],
    );
    return job!;
  }

  function run(jobId: string, outcome: SendOutcome, meanwhile: Meanwhile['meanwhile']) {
    const sender: WebhookSender = {
      async send() {
        await meanwhile?.();
        return outcome;
      },
      close: async () => undefined,
    };
    const handler = {
      ...deliver,
      run: (payload: { delivery_id: string }, context: object) => deliver.run(payload, { ...context, sender } as never),
    };
    return house.run(handler as unknown as ToyHandler, { id: jobId });
  }

  return {
    house,
    organizationId,
    owners,
    get endpointId() {
      return endpointId;
    },
    get otherEndpointId() {
      return otherEndpointId;
    },
    run,
    async begin() {
      await house.reset('events', 'webhook_endpoints', 'mails');
      sent.length = 0;
      const of = async (eventTypes: string[]) =>
        (await endpoint(house.ledger.transact, organizationId, { url: 'https://hooks.example.com/secret-path?t=1', eventTypes }))
          .id;
      endpointId = await of(['operation.failed', 'endpoint.failing', 'endpoint.recovered', 'endpoint.disabled']);
      otherEndpointId = await of(['endpoint.failing', 'endpoint.recovered', 'endpoint.disabled']);
    },
    /** A delivery is made and tried once; `meanwhile` runs after the claim, before the answer. */
    async attempt(outcome: SendOutcome, { meanwhile }: Meanwhile = {}) {
      return run((await accepted()).id, outcome, meanwhile);
    },
    endpoint: endpointRow,
    async failingForSeconds(): Promise<number> {
      const [row] = await sql<{ seconds: number }>(
        'select extract(epoch from clock_timestamp() - failing_since)::float8 as seconds from webhook_endpoints where id = $1',
        [endpointId],
      );
      return row!.seconds;
    },
    /** Moves the first failure into the past, a second further: a process knows the database's clock only to some milliseconds. */
    async hasFailedFor(interval: string) {
      await sql(
        `update webhook_endpoints set failing_since = clock_timestamp() - $2::interval - interval '1 second' where id = $1`,
        [endpointId, interval],
      );
    },
    /** Says that the spell was told of so long ago; tells nobody. */
    async wasTold(interval: string) {
      await sql(
        `update webhook_endpoints set failing_told_at = clock_timestamp() - $2::interval - interval '1 second' where id = $1`,
        [endpointId, interval],
      );
    },
    disable: () => sql('update webhook_endpoints set enabled = false where id = $1', [endpointId]),
    /** Changes with each write of the row. */
    version: async () =>
      (await sql<{ xmin: string }>('select xmin::text from webhook_endpoints where id = $1', [endpointId]))[0]!.xmin,
    async heldUntil() {
      const [pool] = await sql<{ until: string | null }>('select held_until::text as until from pools where id = $1', [
        `endpoint:${endpointId}`,
      ]);
      return pool!.until;
    },
    waiting: accepted,
    async deliveries() {
      const rows = await sql<{ state: string }>('select state from webhook_deliveries where endpoint_id = $1', [endpointId]);
      return rows.map(({ state }) => state);
    },
    /** What was told of the endpoint, oldest first, and to which endpoints. */
    events: () =>
      sql<Told>(
        `select e.type, e.data, array(select d.endpoint_id::text from webhook_deliveries d where d.event_id = e.id) as receivers
           from events e where e.subject_type = 'webhook_endpoint' and e.type <> 'webhook.test' order by e.seq`,
      ),
    mails: () => sql<MailRow>('select kind, recipient, data from mails order by kind, recipient'),
    async sendMails(): Promise<OutboundMail[]> {
      for (const { id } of await sql<{ id: string }>(`select id from jobs where name = 'mails.send'`))
        await house.run(sendMail as unknown as ToyHandler, { id });
      return sent;
    },
    close: () => house.close(),
  };
}

/** A test event to the endpoint, tried once. */
export async function endpointTestOf({ house, endpointId, organizationId, run }: Health, outcome: SendOutcome) {
  const jobId = uuidv7();
  const data = { endpoint_id: endpointId, organization_id: organizationId };
  await house.ledger.transact({ locks: [endpointLock(endpointId)] }, async (tx) => {
    tx.emit(webhookTest, data, { organizationId, test: { endpointId, jobId } });
  });
  return run(jobId, outcome, undefined);
}
