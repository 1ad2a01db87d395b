import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { ProviderFailed, ProviderRefused } from '../../../../src/providers/errors.ts';
import { xenditPayments } from '../../../../src/providers/payment/xendit.ts';

type Answer = { status: number; body: string };
const said = (status: number, body: object): Answer => ({ status, body: JSON.stringify(body) });
const active = said(200, { payment_session_id: 'ps-1', status: 'ACTIVE', reference_id: 'r-1', payment_id: null });
const missing = said(404, { error_code: 'DATA_NOT_FOUND', message: 'Payment session not found' });
const unknownCode = said(404, { error_code: 'NOT_FOUND', message: 'The requested resource was not found' });
const noCode = said(404, { message: 'no Route matched with those values' });
const page = { status: 404, body: '<html><h1>404 Not Found</h1></html>' };

const credentials = { secret_key: 'xnd_development_abcd1234' };
let server: Server | undefined;
let close: (() => void) | undefined;
afterEach(async () => {
  close?.();
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
});

/** A provider that has these answers to a cancellation and to a read. */
async function answering({ cancel = missing, read = missing }: { cancel?: Answer; read?: Answer }) {
  server = createServer((request, response) => {
    const { status, body } = request.method === 'POST' ? cancel : read;
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  const made = xenditPayments({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, timeoutMs: 2_000 });
  close = made.close;
  return made.payments;
}

test.each([
  ['its own word', missing],
  ['an unknown code', unknownCode],
  ['no code', noCode],
  ['a page of HTML', page],
])('a cancellation that is a 404 with %s ends nothing: what is read decides', async (_, cancel) => {
  const open = await answering({ cancel, read: active });
  expect(await open.closePage(credentials, 'ps-1')).toMatchObject({ id: 'ps-1', status: 'open' });
});

test('a page is missing only where Xendit says so in its own words', async () => {
  const payments = await answering({ cancel: unknownCode, read: missing });
  expect(await payments.closePage(credentials, 'ps-1')).toBeUndefined();
  expect(await payments.readRefund(credentials, 'rfd-1')).toBeUndefined();
});

test.each([
  ['an unknown code', unknownCode, ProviderRefused],
  ['no code', noCode, ProviderFailed],
  ['a page of HTML', page, ProviderFailed],
])('a 404 with %s is not taken for a page or refund that is missing: it could still be paid', async (_, answer, kind) => {
  const payments = await answering({ cancel: answer, read: answer });
  await expect(payments.readPage(credentials, 'ps-1')).rejects.toBeInstanceOf(kind);
  await expect(payments.closePage(credentials, 'ps-1')).rejects.toBeInstanceOf(kind);
  await expect(payments.readRefund(credentials, 'rfd-1')).rejects.toBeInstanceOf(kind);
});
