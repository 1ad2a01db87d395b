import { describe, expect, test } from '@jest/globals';
import { accessToken } from '../../../src/connections/access-token.ts';
import { connectionAccount } from '../../../src/connections/account.ts';
import { connectionPool } from '../../../src/connections/use.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { ConnectionHeld, callsOf } from '../../../workers/connections/with-connection.ts';
import type { RunContext } from '../../../workers/handler.ts';
import { useApp } from '../../support/app.ts';
import { connectCalendar } from '../../support/connections.ts';
import type { Body, Tenant } from '../../support/product.ts';
import { connectionRows, statusOfConnection } from '../../support/work/connections.ts';
import { heldUntil, holdForever, jobRows } from '../../support/work/jobs.ts';
import { ahead } from '../../support/work/rows.ts';

const app = useApp({ workers: true });

const status = (id: string) => statusOfConnection(app, id);
const issued = async () => (await app.control('GET', '/tokens')).issued as number;
const accountOf = async (id: string, tenant: Tenant = app.tenant) =>
  (await connectionAccount(ownRows(app.web.deps.database, tenant.organizationId), id, app.web.deps.secrets))!;
const tokenOf = async (id: string, refused?: string) => {
  const { database, providers, secrets } = app.web.deps;
  const own = ownRows(database, app.tenant.organizationId);
  return accessToken(own, await accountOf(id), { secrets, tokens: providers.tokens, timeoutMs: 2_000 }, refused);
};
const check = (id: string) => app.call('connections.check', { params: { connectionID: id }, headers: { prefer: 'wait=10' } });

let accounts = 0;
/** With the account at the sandbox that its tokens are of. */
async function connected(): Promise<Body & { account: string; name: string }> {
  accounts += 1;
  const name = `held${accounts}`;
  const made = await connectCalendar(app, { body: { credentials: { refresh_token: `sandbox-refresh-token-${name}` } } });
  return { ...made, name, account: `${name}@sandbox.example` };
}

describe('access tokens', () => {
  test('one that is good is used again', async () => {
    const { id } = await connected();
    const before = await issued();
    expect(await tokenOf(id)).toBe(await tokenOf(id));
    expect(await issued()).toBe(before);
  });

  test('one that ends within five minutes is renewed, once, whoever asks at the same time', async () => {
    const { id } = await connected();
    const old = await tokenOf(id);
    await connectionRows.change(app, id, { access_token_expires_at: ahead('4 minutes') });
    await app.control('POST', '/faults', { kind: 'delay', match: { path: '/oauth2/token' }, delay_ms: 300, times: 1 });
    const before = await issued();
    const tokens = await Promise.all(Array.from({ length: 12 }, () => tokenOf(id)));
    expect(await issued()).toBe(before + 1);
    // Those that came while it was asked for went on with the old one, which is still good.
    expect(new Set(tokens).size).toBe(2);
    expect(tokens).toContain(old);
    expect(await tokenOf(id)).not.toBe(old);
  });

  test('a refused one is renewed once, however many were refused with it', async () => {
    const { id } = await connected();
    const old = await tokenOf(id);
    const before = await issued();
    const tokens = await Promise.all(Array.from({ length: 12 }, () => tokenOf(id, old)));
    expect(new Set(tokens).size).toBe(1);
    expect(tokens[0]).not.toBe(old);
    expect(await issued()).toBe(before + 1);
  });

  test('a process that died while it asked is waited for no longer than a call takes', async () => {
    const { id } = await connected();
    const old = await tokenOf(id);
    const [{ until }] = await app.rows(
      `update connections set renewing_until = clock_timestamp() + interval '700 ms' where id = $1 returning renewing_until::text as until`,
      [id],
    );
    expect(await tokenOf(id, old)).not.toBe(old);
    expect(await app.one('select clock_timestamp() >= $1::timestamptz as is_over', [until])).toEqual({ is_over: true });
  });

  test('a renewal that fails leaves the way free', async () => {
    const { id } = await connected();
    const old = await tokenOf(id);
    await app.control('POST', '/faults', { kind: 'status', match: { path: '/oauth2/token' }, status: 503, times: 1 });
    await expect(tokenOf(id, old)).rejects.toThrow('internal_failure');
    expect(await tokenOf(id, old)).not.toBe(old);
  });
});

describe('refused credentials', () => {
  test('a check that is refused stops the connection and holds its pool; new credentials let it go', async () => {
    const { id, account, name } = await connected();
    await app.control('POST', '/tokens/revoke', { account });
    await connectionRows.change(app, id, { access_token: null });
    const refused = await check(id);
    expect(refused.status).toBe(422);
    expect(refused.body.error.code).toBe('provider_refused');
    expect(await status(id)).toBe('auth_error');
    expect(await heldUntil(app, connectionPool(id))).toBe('infinity');
    const told = await app.rows(`select data->>'status' as status from events where subject_id = $1 order by seq`, [id]);
    expect(told.map((event) => event.status)).toEqual(['connected', 'auth_error']);

    const { body } = await app.call('connections.update', {
      params: { connectionID: id },
      body: { credentials: { refresh_token: `sandbox-refresh-token-${name}.2` } },
    });
    expect(body).toMatchObject({ status: 'connected', last_error: null });
    expect(await heldUntil(app, connectionPool(id))).toBeNull();
  });

  test('a refusal of the old credentials does not stop the new ones', async () => {
    const { id } = await connected();
    const { stopConnection } = await import('../../../src/connections/change.ts');
    const { transactFor } = await import('../../../src/platform/ledger/tenant.ts');
    const old = await accountOf(id);
    await app.call('connections.update', {
      params: { connectionID: id },
      body: { credentials: { refresh_token: 'sandbox-refresh-token-other' } },
    });
    await stopConnection(transactFor(app.web.deps.ledger.transact, app.tenant.organizationId), old, 'auth_error', 'refused');
    expect(await status(id)).toBe('connected');
  });

  test('a check finds that refused credentials are good again', async () => {
    const { id } = await connected();
    const { stopConnection } = await import('../../../src/connections/change.ts');
    const { transactFor } = await import('../../../src/platform/ledger/tenant.ts');
    const transact = transactFor(app.web.deps.ledger.transact, app.tenant.organizationId);
    await stopConnection(transact, await accountOf(id), 'auth_error', 'refused');
    const { body } = await check(id);
    expect(body).toMatchObject({ status: 'connected', last_error: null });
    expect(await heldUntil(app, connectionPool(id))).toBeNull();
  });

  test.each([
    ['its own pool is held: its place in that line a second later', 'own', 1_000],
    ['another pool is held: in a minute', 'channel:other', 60_000],
  ])('a run that is under way when %s', async (_what, pool, waitMs) => {
    const { id } = await connected();
    await holdForever(app, connectionPool(id));
    const { database, secrets, providers, config } = app.web.deps;
    const run = {
      database,
      secrets,
      providers,
      config,
      own: ownRows(database, app.tenant.organizationId),
      row: { pool: pool === 'own' ? connectionPool(id) : pool },
      outside: (work: () => unknown) => work(),
    } as unknown as RunContext<unknown>;
    const call = callsOf(run, await accountOf(id))(async () => 'called');
    await expect(call).rejects.toBeInstanceOf(ConnectionHeld);
    await expect(call).rejects.toMatchObject({ retryAfterMs: waitMs });
  });

  test('a check of a deleted connection ends', async () => {
    const { id } = await connected();
    const asked = await app.call('connections.check', { params: { connectionID: id } });
    expect(asked.status).toBe(200);
    await app.call('connections.delete', { params: { connectionID: id } });
    await app.idle();
    expect(await jobRows.count(app, { subject_id: id, state: { $ne: 'done' } })).toBe(0);
  });
});
