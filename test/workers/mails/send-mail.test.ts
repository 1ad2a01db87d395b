import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { knowJobs } from '../../../src/jobs.ts';
import { requestMail, requestNotice } from '../../../src/mails/request.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { retryJob } from '../../../src/platform/ledger/retry.ts';
import { createProviders } from '../../../src/providers/index.ts';
import { sendMail } from '../../../workers/mails/send-mail.ts';
import { type House, openHouse, type ToyHandler } from '../../support/house.ts';
import { type MailServer, mailPassword, read, startMailServer } from '../../support/mail-server.ts';
import { testSecrets } from '../../support/secrets.ts';
import { eventRows } from '../../support/work/events.ts';
import { jobRows } from '../../support/work/jobs.ts';
import { mailRows } from '../../support/work/organizations.ts';

const handler = sendMail as unknown as ToyHandler;
const token = 'kr_the+one/time token';
const recipient = 'ada.lovelace@example.com';

let server: MailServer;
let house: House;
let reset: (mailUrl?: string) => void;

beforeAll(knowJobs);
beforeAll(async () => {
  server = await startMailServer({ hasLogin: true });
  house = await openHouse(undefined, {
    env: { MAIL_FROM: 'Kanal <mail@kanal.example>', APP_URL: 'https://app.example.com/kanal/' },
  });
  reset = (mailUrl) => {
    house.deps.providers?.close();
    const config = { ...house.deps.config, mailUrl, providerTimeoutMs: 1_000 };
    house.deps.providers = createProviders(config, new Registry(), house.deps.log);
  };
});
beforeEach(async () => {
  reset(server.url);
  await house.reset('mails');
  server.arrived.length = 0;
  house.lines.length = 0;
});
afterAll(async () => {
  house.deps.providers.close();
  await house.close();
  await server.close();
});

async function requested(data: Record<string, string> = {}): Promise<{ mailId: string; jobId: string }> {
  await house.ledger.transact({}, (tx) =>
    requestMail(tx.of(house.organizationId), testSecrets, {
      kind: 'invitation',
      recipient,
      data: { organization: 'Acme', invited_by: 'Grace', role: 'agent', expires_at: '2026-11-28T10:00:00.000Z', ...data },
      token,
    }),
  );
  const [job] = await house.rows();
  return { mailId: job!.subject_id, jobId: job!.id };
}
const mail = async (id: string) => (await mailRows.all(house, id))[0]!;
/** Everything the database and the log know, but for the row of the mail itself. */
const logsAndRows = async () =>
  JSON.stringify([house.lines, await jobRows.all(house, {}, ['error', 'payload']), await eventRows.all(house, {}, ['data'])]);
const secrets = [token, encodeURIComponent(token), recipient, mailPassword, encodeURIComponent(mailPassword)];
const expectSilence = async () => {
  const all = await logsAndRows();
  for (const secret of secrets) expect(all).not.toContain(secret);
};

describe('a mail that is asked for', () => {
  test('is a row with its token sealed, and a job, in the transaction of who asks', async () => {
    const { mailId, jobId } = await requested();
    expect((await mail(mailId)).token).not.toContain(token);
    expect(testSecrets.open((await mail(mailId)).token!)).toBe(token);
    expect(await house.row(jobId)).toMatchObject({ queue: 'default', state: 'queued' });
    const undone = house.ledger.transact({}, async (tx) => {
      await requestMail(tx.of(house.organizationId), testSecrets, {
        kind: 'password_reset',
        recipient,
        data: {},
        token,
      });
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    expect(await mailRows.all(house, {}, ['id'])).toEqual([{ id: mailId }]);
    expect(await house.rows()).toHaveLength(1);
    expect(await checkJobs(house.database)).toEqual([]);
  });

  test('is sent once, run twice; the token is gone, and nothing secret has been said', async () => {
    const { mailId, jobId } = await requested();
    expect(await house.run(handler, { id: jobId })).toEqual({ kind: 'done' });
    const [arrived] = server.arrived;
    expect(arrived).toMatchObject({ from: 'mail@kanal.example', to: [recipient] });
    const { headers, text, html } = read(arrived!.raw);
    expect(headers).toMatchObject({ 'message-id': `<${mailId}@kanal.example>`, subject: 'Your invitation to Acme' });
    const link = `https://app.example.com/kanal/invitation#token=${encodeURIComponent(token)}`;
    for (const body of [text, html]) expect(body).toContain(link);
    expect(await mail(mailId)).toMatchObject({ token: null, sent_at: expect.anything(), failed_at: null });
    expect(await house.row(jobId)).toBeUndefined();
    expect(await checkJobs(house.database)).toEqual([]);

    // The job once more, as after a worker that died between the mail's end and its own.
    await house.ledger.transact({}, async (tx) => void tx.enqueue(sendMail.contract, house.organizationId, { mail_id: mailId }));
    const [again] = await house.rows();
    expect(await house.run(handler, { id: again!.id })).toEqual({ kind: 'done' });
    expect(server.arrived).toHaveLength(1);
    await expectSilence();
  });

  test('again by a worker that died after the server took it: the same Message-ID', async () => {
    const { mailId, jobId } = await requested();
    await house.run(handler, { id: jobId });
    await mailRows.change(house, mailId, { sent_at: null, token: testSecrets.seal(token) });
    await house.ledger.transact({}, async (tx) => void tx.enqueue(sendMail.contract, house.organizationId, { mail_id: mailId }));
    await house.run(handler, { id: (await house.rows())[0]!.id });
    const ids = server.arrived.map(({ raw }) => read(raw).headers['message-id']);
    expect(ids).toEqual([ids[0], ids[0]]);
  });
});

describe('a notice', () => {
  const noticed = async () => {
    const data = { organization: 'Acme', host: 'hooks.example.com', endpoint_id: 'e1', reason: 'gone' };
    await house.ledger.transact({}, (tx) =>
      requestNotice(tx.of(house.organizationId), { kind: 'endpoint_disabled', recipient, data }),
    );
    const [job] = await house.rows();
    return { mailId: job!.subject_id, jobId: job!.id };
  };

  test('has no link, and is sent', async () => {
    const { mailId, jobId } = await noticed();
    expect(await house.run(handler, { id: jobId })).toEqual({ kind: 'done' });
    const { headers, text } = read(server.arrived[0]!.raw);
    expect(headers).toMatchObject({ subject: 'A webhook endpoint of Acme was disabled' });
    expect(text).not.toContain('#token=');
    expect(await mail(mailId)).toMatchObject({ token: null, sent_at: expect.anything() });
  });

  test('that failed is sent by a retry, and not a second time', async () => {
    const { mailId, jobId } = await noticed();
    server.answer('RCPT', { code: 550, text: '5.1.1 unknown' });
    expect(await house.run(handler, { id: jobId })).toMatchObject({ kind: 'failed' });
    await retryJob(house.ledger.transact, jobId);
    expect(await mail(mailId)).toMatchObject({ failed_at: null });
    const { run } = (await house.row(jobId))!;
    expect(await house.run(handler, { id: jobId, run })).toEqual({ kind: 'done' });
    expect(server.arrived).toHaveLength(1);
  });
});

describe('a mail that is not taken', () => {
  test('for good: failed with its reason; a retry sends it all the same', async () => {
    const { mailId, jobId } = await requested();
    server.answer('RCPT', { code: 550, text: `5.1.1 <${recipient}> unknown` });
    expect(await house.run(handler, { id: jobId })).toMatchObject({ kind: 'failed' });
    expect((await house.row(jobId))!.error).toEqual({
      code: 'provider_refused',
      message: 'The mail server refused the recipient (550 5.1.1)',
      provider_code: '550',
    });
    expect(await mail(mailId)).toMatchObject({ token: expect.any(String), sent_at: null, failed_at: expect.anything() });
    expect(await checkJobs(house.database)).toEqual([]);
    await expectSilence();

    await retryJob(house.ledger.transact, jobId);
    expect(await mail(mailId)).toMatchObject({ failed_at: null });
    expect(await checkJobs(house.database)).toEqual([]);
    const { run } = (await house.row(jobId))!;
    expect(await house.run(handler, { id: jobId, run })).toEqual({ kind: 'done' });
    expect(server.arrived).toHaveLength(1);
  });

  test.each([
    ['a 421', () => server.answer('MAIL', { code: 421, text: `${recipient} later` })],
    ['a login that is not accepted', () => reset(server.url.replace('@', '!@'))],
    ['a server that is away', () => reset('smtp://127.0.0.1:1')],
  ])('by %s: tried again, and nothing secret is said', async (_what, prepare) => {
    const { mailId, jobId } = await requested();
    prepare();
    expect(await house.run(handler, { id: jobId })).toMatchObject({ kind: 'again' });
    expect(await house.row(jobId)).toMatchObject({ state: 'queued', attempts: 1, error: { code: 'provider_failed' } });
    expect(await mail(mailId)).toMatchObject({ token: expect.any(String), sent_at: null, failed_at: null });
    await expectSilence();
  });

  test('because there is no mail server: the log says that there was one, and nobody whose', async () => {
    const { mailId, jobId } = await requested();
    reset(undefined);
    expect(await house.run(handler, { id: jobId })).toEqual({ kind: 'done' });
    const [line] = house.lines.filter(({ mail_id }) => mail_id);
    expect(line).toEqual({
      level: 40,
      time: expect.any(Number),
      msg: 'a mail was not sent: MAIL_URL is not set',
      mail_id: mailId,
      kind: 'invitation',
    });
    expect(await mail(mailId)).toMatchObject({ token: null });
    await expectSilence();
  });

  test('because its token was deleted: failed, and not to be retried', async () => {
    const { mailId, jobId } = await requested();
    await mailRows.change(house, mailId, { token: null });
    expect(await house.run(handler, { id: jobId })).toMatchObject({ kind: 'failed', error: { code: 'internal' } });
    await expect(retryJob(house.ledger.transact, jobId)).rejects.toThrow('no link left');
    expect(server.arrived).toEqual([]);
  });
});
