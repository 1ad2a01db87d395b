import { beforeEach, describe, expect, test } from '@jest/globals';
import { checkJobs } from '../../../../src/platform/ledger/check.ts';
import { LocksOutdated } from '../../../../src/platform/ledger/locks.ts';
import { transactFor } from '../../../../src/platform/ledger/tenant.ts';
import { callOffOperations } from '../../../../src/webhooks/replay/of-endpoint.ts';
import { type Tenant, useApp } from '../../../support/app.ts';

const app = useApp();
let tenant: Tenant;
beforeEach(async () => {
  tenant = await app.organization();
});

async function listen(): Promise<string> {
  const body = { url: 'http://127.0.0.1:9/', event_types: ['message.sent'] };
  return (await app.call('webhooks.endpoints.create', { key: tenant.key, body })).body.id;
}
async function ask(what: 'recover' | 'replay' | 'cancel', endpointID: string): Promise<string> {
  const body = what === 'cancel' ? {} : { since: new Date(Date.now() - 3_600_000) };
  return (await app.call(`webhooks.endpoints.${what}`, { key: tenant.key, params: { endpointID }, body })).body.operation_id;
}
const remove = (endpointID: string) => app.call('webhooks.endpoints.delete', { key: tenant.key, params: { endpointID } });
const pause = (operationID: string) => app.call('operations.pause', { key: tenant.key, params: { operationID } });
const operation = async (operationID: string) =>
  (await app.call('operations.get', { key: tenant.key, params: { operationID } })).body;

describe('bulk operations of an endpoint that is deleted', () => {
  test('are called off with it, a paused one too; those of another endpoint go on', async () => {
    const [id, other] = [await listen(), await listen()];
    const [paused, waiting, foreign] = [await ask('recover', id), await ask('replay', id), await ask('recover', other)];
    expect((await pause(paused)).body.status).toBe('paused');
    expect((await remove(id)).status).toBe(204);
    for (const one of [paused, waiting]) {
      const { status, error, finished_at } = await operation(one);
      expect(status).toBe('cancelled');
      expect(error).toEqual({ code: 'cancelled', message: 'Called off by the deletion of its webhook endpoint' });
      expect(finished_at).not.toBeNull();
    }
    expect((await operation(foreign)).status).toBe('queued');
    const open = await app.rows(`select endpoint_id from webhook_replays where organization_id = $1 and state <> 'ended'`, [
      tenant.organizationId,
    ]);
    expect(open).toEqual([{ endpoint_id: other }]);
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
  });

  test('that have ended stay as they ended', async () => {
    const id = await listen();
    const ended = await ask('cancel', id);
    await app.rows(`update jobs set state = 'done', finished_at = clock_timestamp() where id = $1`, [ended]);
    expect((await remove(id)).status).toBe(204);
    expect(await operation(ended)).toMatchObject({ status: 'succeeded', error: null });
  });

  test('one that was asked for after the look makes the deletion look again', async () => {
    const id = await listen();
    await ask('recover', id);
    const transact = transactFor(app.web.deps.ledger.transact, tenant.organizationId);
    await expect(transact({}, (tx) => callOffOperations(tx, id, [], 'a test'))).rejects.toBeInstanceOf(LocksOutdated);
  });
});
