import { describe, expect, test } from '@jest/globals';
import { endpoints } from '../../../api/index.ts';
import { scopeToControl } from '../../../api/operations/control.ts';
import { jobs } from '../../../src/jobs.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import type { JobContract } from '../../../src/platform/ledger/job.ts';
import { actsOf } from '../../support/acts.ts';
import { useApp } from '../../support/app.ts';
import { storedJobs } from '../../support/stored/api-jobs.ts';
import { storedContactImportChunks } from '../../support/stored/contacts.ts';
import { now } from '../../support/stored/times.ts';
import { storedReplays } from '../../support/stored/webhooks.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp();
type What = 'cancel' | 'pause' | 'resume';
const control = (what: What, operationID: string, key?: string) =>
  app.call(`operations.${what}`, { params: { operationID }, key });
const get = async (operationID: string) => (await app.call('operations.get', { params: { operationID } })).body;

async function exported(): Promise<{ id: string; operationId: string }> {
  const { body, headers } = await app.call('contacts.exports.create');
  return { id: body.data.id, operationId: headers.get('operation-id')! };
}
async function imported(): Promise<{ id: string; operationId: string }> {
  const { body, headers } = await app.call('contacts.import', { body: 'external_source,external_id,name\nshop,C-1,Own\n' });
  return { id: body.data.id, operationId: headers.get('operation-id')! };
}
async function recovering(): Promise<string> {
  const { body } = await app.call('webhooks.endpoints.create', {
    body: { url: 'http://127.0.0.1:9/', event_types: ['message.sent'] },
  });
  const since = new Date(Date.now() - 3_600_000);
  const asked = await app.call('webhooks.endpoints.recover', { params: { endpointID: body.id }, body: { since } });
  return asked.body.operation_id;
}
async function syncing(): Promise<string> {
  const channel = await app.connect();
  return (await app.call('templates.sync', { params: { channelID: channel.id } })).headers.get('operation-id')!;
}
const end = (id: string, state: string) => storedJobs.change(app, id, { state, finished_at: now() });

describe('cancel', () => {
  test('an export that waits: its record and its operation say so, and it can be deleted', async () => {
    const { id, operationId } = await exported();
    const reply = await control('cancel', operationId);
    expect(reply.body).toMatchObject({ id: operationId, status: 'cancelled', error: { code: 'cancelled' } });
    expect(reply.body.finished_at).not.toBeNull();
    const { body } = await app.call('contacts.exports.get', { params: { exportID: id } });
    expect(body.data).toMatchObject({ status: 'cancelled', bytes: 0 });
    expect(await actsOf(app, reply)).toMatchObject([
      { action: 'operations.cancel', subject: `operation:${operationId}`, details: { name: 'contacts.export' } },
    ]);
    expect((await app.call('contacts.exports.delete', { params: { exportID: id } })).status).toBe(204);
  });

  test('the next import of the organization has its turn', async () => {
    const [first, second, third] = [await imported(), await imported(), await imported()];
    expect((await control('cancel', second.operationId)).body.status).toBe('cancelled');
    const stateOf = async ({ operationId }: { operationId: string }) => (await storedJobs.one(app, operationId)).state;
    expect([await stateOf(third), await stateOf(second)]).toEqual(['blocked', 'done']);
    expect((await control('cancel', first.operationId)).body.status).toBe('cancelled');
    await waitFor('the third to be ready', async () => ['waiting', 'queued'].includes(await stateOf(third)));
    expect((await app.call('contacts.imports.get', { params: { importID: first.id } })).body.data.status).toBe('cancelled');
    expect(await storedContactImportChunks.count(app, { import_id: first.id })).toBe(0);
    await control('cancel', third.operationId);
  });

  test('a replay', async () => {
    const id = await recovering();
    expect((await control('cancel', id)).body).toMatchObject({ status: 'cancelled', name: 'webhooks.recover' });
    const { subject_id } = await storedJobs.one(app, id);
    expect((await storedReplays.one(app, subject_id)).state).toBe('ended');
  });

  test('called off before, it stays so', async () => {
    const id = await recovering();
    const first = await control('cancel', id);
    const second = await control('cancel', id);
    expect([second.status, second.body]).toEqual([200, first.body]);
  });

  test.each(['done', 'failed'])('one whose job is %s has ended: 409', async (state) => {
    const { operationId } = await exported();
    await end(operationId, state);
    const { status, body } = await control('cancel', operationId);
    expect([status, body.error.code]).toEqual([409, 'conflict']);
  });

  test('work of another kind cannot be called off: 409', async () => {
    const id = await syncing();
    expect((await control('cancel', id)).status).toBe(409);
    expect((await get(id)).status).toBe('queued');
  });

  test('a client that waits for it is told', async () => {
    const waiting = app.call('contacts.exports.create', { headers: { prefer: 'wait=20' } });
    const operationId = await waitFor('the export', async () => {
      const rows = await storedJobs.all(
        app,
        { name: 'contacts.export', state: ['waiting', 'queued', 'blocked'] },
        { columns: ['id'] },
      );
      return rows.at(-1)?.id;
    });
    await control('cancel', operationId);
    const { status, body } = await waiting;
    expect([status, body.data.status]).toEqual([201, 'cancelled']);
  });
});

describe('pause and resume', () => {
  test('a replay stops and goes on', async () => {
    const id = await recovering();
    expect((await control('pause', id)).body.status).toBe('paused');
    expect((await control('pause', id)).body.status).toBe('paused');
    expect((await control('resume', id)).body.status).toBe('queued');
    expect((await control('resume', id)).body.status).toBe('queued');
  });

  test.each(['pause', 'resume'] as const)('%s: an export cannot be, and one that has ended neither: 409', async (what) => {
    const { operationId } = await exported();
    expect((await control(what, operationId)).status).toBe(409);
    const id = await recovering();
    await control('cancel', id);
    expect((await control(what, id)).status).toBe(409);
  });
});

describe('who may', () => {
  /** Of each kind of work that can be cancelled, one endpoint that asks for it. */
  const askedBy: Record<string, string> = {
    'automation.cancel-runs': 'automation.runs.cancel-many',
    'automation.retry-runs': 'automation.runs.cancel-many',
    'campaigns.import': 'campaigns.recipients.import',
    'campaigns.retry-failed': 'campaigns.retry-failed',
    'contacts.export': 'contacts.exports.create',
    'contacts.import': 'contacts.import',
    'crm.import': 'crm.deals.import',
    'crm.revalue': 'crm.deals.revalue',
    'flows.delete': 'flows.delete',
    'flows.deprecate': 'flows.deprecate',
    'flows.import': 'flows.import',
    'flows.preview': 'flows.preview',
    'flows.publish': 'flows.publish',
    'flows.push': 'flows.push',
    'flows.sync': 'flows.sync',
    'flows.upload-key': 'channels.flow-encryption.rotate',
    'onboarding.exchange-token': 'onboarding.exchange-token',
    'onboarding.register-phone': 'onboarding.register-phone',
    'onboarding.subscribe-webhook': 'onboarding.subscribe-webhook',
    'onboarding.sync-assets': 'onboarding.sync-assets',
    'webhooks.cancel': 'webhooks.endpoints.recover',
    'webhooks.recover': 'webhooks.endpoints.recover',
    'webhooks.replay': 'webhooks.endpoints.recover',
  };
  const cancellable = (jobs as unknown as JobContract[]).filter(({ calledOff }) => calledOff);

  test('work is cancelled with the scope that asks for it', () => {
    expect(cancellable.map(({ name }) => name).sort()).toEqual(Object.keys(askedBy));
    for (const { name, subjectType } of cancellable) {
      const asking = endpoints.find(({ operationId }) => operationId === askedBy[name]);
      expect({ name, scope: scopeToControl({ name, subject_type: subjectType }) }).toEqual({ name, scope: asking?.scope });
    }
  });

  test.each([
    ['webhooks:write', async () => recovering()],
    ['contacts:read', async () => (await exported()).operationId],
    ['contacts:write', async () => (await imported()).operationId],
  ] as const)('%s calls off what it may ask for, and nothing else', async (scope, make) => {
    const { key } = await app.key(app.tenant.organizationId, [scope]);
    const all = [await recovering(), (await exported()).operationId, (await imported()).operationId];
    const own = await make();
    expect((await control('cancel', own, key)).status).toBe(200);
    const { name } = await storedJobs.one(app, own);
    for (const id of all) {
      const { name: other } = await storedJobs.one(app, id);
      expect([other, (await control('cancel', id, key)).status]).toEqual([other, other === name ? 200 : 403]);
    }
    expect((await control('cancel', uuidv7(), key)).status).toBe(403);
  });

  test("another organization's is a 404", async () => {
    const id = await recovering();
    const stranger = await app.organization();
    for (const what of ['cancel', 'pause', 'resume'] as const) expect((await control(what, id, stranger.key)).status).toBe(404);
    expect((await get(id)).status).toBe('queued');
  });
});
