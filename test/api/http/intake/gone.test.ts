import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, test } from '@jest/globals';
import express, { type Request, type Response } from 'express';
import { createIntake } from '../../../../api/http/intake/intake.ts';
import { jsonBody } from '../../../../api/http/middleware/body.ts';
import { send } from '../../../../api/http/send.ts';
import { AppError } from '../../../../src/platform/errors.ts';
import { useApp } from '../../../support/app.ts';
import { rawRequest } from '../../../support/raw-request.ts';
import { waitFor } from '../../../support/wait-for.ts';

const app = useApp();
const organizationId = 'one';
const settings = {
  bodiesMaxBytes: 1000,
  bodiesOrganizationMaxBytes: 1000,
  bodiesLoginsMaxBytes: 1_000,
  bodiesSmallWebhooksMaxBytes: 1_000,
  repliesMaxBytes: 1_000,
  repliesOrganizationMaxBytes: 1_000,
  bodiesAnonymousMaxBytes: 1000,
  bodyMinBytesPerSecond: 1,
  uploadsPerOrganization: 1,
  downloadsPerOrganization: 1,
  mediaDownloadsPerOrganization: 1,
  waitsPerOrganization: 1,
};

type Gate = { promise: Promise<void>; open: () => void };
function gate(): Gate {
  let open = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Outcome of a request whose sender leaves while we still look who it is, then of one that stays. */
async function leftAndNext(work: (req: Request, res: Response) => Promise<void>, body: string): Promise<unknown[]> {
  const [looked, outcomes] = [gate(), [] as unknown[]];
  let left = 0;
  const served = express().use(async (req, res) => {
    res.locals.caller = { organizationId };
    res.once('close', () => {
      left += 1;
    });
    await looked.promise;
    try {
      await work(req, res);
      outcomes.push('done');
    } catch (error) {
      outcomes.push(error instanceof AppError ? error.code : error);
    }
    res.end();
  });
  const server = served.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const begin = () =>
    rawRequest(base, ['POST / HTTP/1.1', 'Content-Type: application/json', `Content-Length: ${body.length}`], body);
  const { socket } = await begin();
  server.once('request', () => socket.destroy());
  await waitFor('the client to have left', () => left === 1);
  looked.open();
  await waitFor('its end', () => outcomes.length === 1);
  const next = await begin();
  ends.push(() => next.socket.destroy());
  await waitFor('the end of the next', () => outcomes.length === 2);
  return outcomes;
}

describe('who leaves before we know who it is holds', () => {
  const intake = createIntake(settings);
  const readBody = jsonBody({ bytes: 1000, values: 10 });

  test('no room for a body', async () => {
    const read = (req: Request, res: Response) => intake.read(readBody, 1_000, req, res);
    expect(await leftAndNext(read, `"${'x'.repeat(598)}"`)).toEqual(['bad_request', 'done']);
  });

  test('no place for a file', async () => {
    const download = async (_req: Request, res: Response) => intake.download(res, organizationId);
    expect(await leftAndNext(download, '')).toEqual(['bad_request', 'done']);
  });
});

test('who leaves while its file is made ready ends the file', async () => {
  const file = Readable.from(['a']);
  const sending = async (_req: Request, res: Response) => send(res, { status: 200, stream: file }, () => undefined);
  expect((await leftAndNext(sending, ''))[0]).toBe('done');
  expect(file.destroyed).toBe(true);
});

test('who leaves before its operation is there waits no more', async () => {
  const { ledger, intake } = app.web.deps;
  const { transact } = ledger;
  const [written, begun] = [gate(), gate()];
  const held = async (...given: Parameters<typeof transact>) => {
    begun.open();
    await written.promise;
    return transact(...given);
  };
  ledger.transact = held as typeof transact;
  try {
    const since = app.log.lines.length;
    const headers = [`X-Api-Key: ${app.tenant.key}`, 'Content-Type: application/json', 'Content-Length: 2', 'Prefer: wait=30'];
    const { socket } = await rawRequest(app.base, ['POST /v1/contacts/export HTTP/1.1', ...headers], '{}');
    await begun.promise;
    socket.destroy();
    await waitFor('its end', () => app.requestLines(since).length > 0);
    const { waits } = intake;
    let looks = 0;
    const { tryTake } = waits;
    waits.tryTake = (key) => {
      looks += 1;
      return tryTake(key);
    };
    written.open();
    await waitFor('it to wait', () => looks === 1);
    await waitFor('its place', () => waits.held(app.tenant.organizationId) === 0);
  } finally {
    ledger.transact = transact;
  }
});
