import { expect, test } from '@jest/globals';
import pg from 'pg';
import { type Reply, type Tenant, useApp } from '../support/app.ts';
import { waitFor } from '../support/wait-for.ts';

const statementMs = 900;
const app = useApp({
  env: {
    DATABASE_POOL_MAX: '6',
    DATABASE_POOL_SHARE: '3',
    DATABASE_POOL_SHARE_WAIT_MS: '1000',
    REQUEST_LOCK_TIMEOUT_MS: '400',
    REQUEST_STATEMENT_TIMEOUT_MS: String(statementMs),
    REQUEST_TRANSACTION_TIMEOUT_MS: '10000',
    REQUEST_LONG_STATEMENT_TIMEOUT_MS: '10000',
    LIST_TIMEOUT_MS: '100',
  },
});

/** Somebody else's transaction, which holds what `statement` takes until the work is over. */
async function whileHeld(statement: string, work: () => Promise<void>) {
  const client = new pg.Client({ connectionString: app.web.deps.config.databaseUrl });
  await client.connect();
  try {
    await client.query(`begin; ${statement}`);
    await work();
  } finally {
    await client.end();
  }
}

const lockOf = (contactId: string) => `select pg_advisory_xact_lock(hashtextextended('contact:${contactId}', 0))`;

async function newContact({ key }: Tenant): Promise<string> {
  const { body } = await app.call('contacts.create', { key, body: { external_source: 'test', external_id: '1', name: 'Ann' } });
  return body.data.id;
}

const rename = (contactID: string, name = 'Bob') => app.call('contacts.update', { params: { contactID }, body: { name } });

const retryAfter = ({ headers }: Reply) => headers.get('retry-after');

test('a contact that something else is at work on is a 409 while it is', async () => {
  const contactId = await newContact(app.tenant);
  await whileHeld(lockOf(contactId), async () => {
    const reply = await rename(contactId);
    expect(reply.status).toBe(409);
    expect(reply.body.error.code).toBe('conflict');
    expect(retryAfter(reply)).toBe('1');
  });
  expect((await rename(contactId)).status).toBe(200);
});

test('a lock taken within a transaction, and a row that is held, are a 409 too', async () => {
  const contactId = await newContact(await app.organization());
  const own = await newContact(app.tenant);
  await whileHeld(`select 1 from contacts where id = '${own}' for update`, async () => {
    const reply = await rename(own, 'Carl');
    expect(reply.status).toBe(409);
    expect(retryAfter(reply)).toBe('1');
  });
  await whileHeld(lockOf(contactId), async () => {
    const taken = app.web.deps.ledger.transact({}, (tx) => tx.lockFound('contact', contactId));
    await expect(taken).rejects.toMatchObject({ code: 'conflict', retryAfterSeconds: 1 });
  });
});

test('a table that somebody has locked is a 503 while it is, to reads and to writes', async () => {
  const contactId = await newContact(app.tenant);
  await whileHeld('lock table jobs, contacts in access exclusive mode', async () => {
    const read = await app.call('contacts.get', { params: { contactID: contactId } });
    const write = await rename(contactId);
    for (const reply of [read, write]) {
      expect(reply.status).toBe(503);
      expect(reply.body.error.code).toBe('unavailable');
      expect(retryAfter(reply)).toBe('1');
    }
  });
});

test('an export whose columns take too long is a 503 that names the one a worker writes', async () => {
  await whileHeld('lock table contacts in access exclusive mode', async () => {
    const { status, body } = await app.call('contacts.export');
    expect([status, body.error.code]).toEqual([503, 'unavailable']);
    expect(body.error.message).toContain('POST /v1/contacts/export');
    expect(body.error.message).not.toContain('include_total');
  });
});

test('requests that wait for one contact of an organization take nothing from another organization', async () => {
  const other = await app.organization();
  const [contactId, others] = [await newContact(app.tenant), await newContact(other)];
  await whileHeld(lockOf(contactId), async () => {
    const waiting = Promise.all(Array.from({ length: 20 }, (_, index) => rename(contactId, `name ${index}`)));
    await waitFor('one to wait for the lock', async () => {
      const locked = await app.rows(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`,
      );
      return locked.length > 0;
    });
    const { database } = app.web.deps;
    for (let turn = 0; turn < 10; turn += 1) {
      const reply = await app.call('contacts.get', { key: other.key, params: { contactID: others } });
      expect(reply.status).toBe(200);
      expect(database.connections().waiting).toBe(0);
    }
    const ended = await waiting;
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set([409]));
    for (const reply of ended) expect(retryAfter(reply)).toBe('1');
  });
});

test('a statement has the limit of a request, and what is known to be long another one', async () => {
  const { database, ledger } = app.web.deps;
  const longer = statementMs / 1000 + 0.3;
  const sleeping = `select pg_sleep(${longer})`;
  await expect(ledger.transact({}, (tx) => tx.query(sleeping))).rejects.toMatchObject({ code: '57014' });
  await ledger.transact({ isLong: true }, (tx) => tx.query(sleeping));
  const [left] = await app.rows(
    `select current_setting('statement_timeout') as statement, current_setting('transaction_timeout') as transaction`,
  );
  expect(left).toEqual({ statement: '900ms', transaction: '10s' });
  expect(database.connections().waiting).toBe(0);
});
