import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { ProviderBusy, type ProviderError, ProviderFailed, ProviderRefused } from '../../src/providers/errors.ts';
import { createProviders, type Providers } from '../../src/providers/index.ts';
import { token, useHouse } from '../sandbox/house.ts';
import { collectingLog } from '../support/log.ts';
import { differences } from './differences.ts';
import { type Example, exampleOf, notThere, phoneNumberId, prepareSandbox } from './endpoint-examples.ts';
import { describeExamples, type Json } from './fixtures.ts';
import { ownAnswers, ownEndpoints } from './own-examples.ts';

const house = useHouse();
let server: Server;
let providers: Providers;
let answer: { status: number; body: unknown };
const account = { phoneNumberId, accountId: '2', accessToken: token };

beforeAll(async () => {
  server = createServer((_req, res) => res.writeHead(answer.status).end(JSON.stringify(answer.body)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const messagingAppUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const app = { messagingAppId: '1234567890123456', messagingAppSecret: 'secret' };
  providers = createProviders({ messagingAppUrl, providerTimeoutMs: 2_000, ...app }, new Registry(), collectingLog().log);
});
afterAll(async () => {
  providers.close();
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

/** Our adapter, with this for an answer. */
function answered(status: number, body: unknown) {
  answer = { status, body };
  return providers.messagingApp;
}
const message = { callbackData: 'ours', toPhone: '1', type: 'text', content: { body: 'x' } };

describeExamples('answers to a message', 'send-responses.json', ownAnswers, (examples) => {
  test.each(Object.entries(examples))('%s: our adapter reads it', async (_name, example) => {
    expect(await answered(200, example).send(account, message)).toEqual({
      providerMessageId: example.messages[0].id,
      phoneId: example.contacts[0].wa_id,
      userId: undefined,
    });
  });
});

describeExamples<Json[]>('other endpoints', 'other-endpoints.json', ownEndpoints, (all) => {
  const examples = all.map(exampleOf);
  const having = (pattern: RegExp) =>
    examples.filter(({ key }) => pattern.test(key)).map((one): [string, Example] => [`${one.key}: ${one.name}`, one]);
  const requests = having(/ request$/);
  const answers = having(/ 200$/);
  const errors = having(/ [45]\d\d$/);

  test('all are of one of these', () => {
    expect(requests.length + answers.length + errors.length).toBe(examples.length);
  });

  describe('requests: the sandbox takes them', () => {
    test.each(requests)('%s', async (_what, example) => {
      const { path, send } = await prepareSandbox(house, example);
      const { status, body } = await send(path, example);
      expect([status, body.error]).toEqual([200, undefined]);
    });
  });

  describe('answers: the sandbox gives the same, or says that it has not', () => {
    test.each(answers)('%s', async (_what, example) => {
      const { path, send } = await prepareSandbox(house, example);
      const { status, body } = await send(path, { ...example, body: undefined });
      if (notThere(example)) {
        expect([status, body.error.code]).toEqual([400, 100]);
        return;
      }
      expect(body.error).toBeUndefined();
      expect(differences(example.body, body)).toEqual([]);
    });
  });

  describe('answers our adapter asks for', () => {
    test.each(having(/^get \/number 200$/))('%s', async (_what, { body }) => {
      expect(await answered(200, body).readNumber(account)).toEqual({
        displayPhone: body.display_phone_number.replace(/\D/g, ''),
        verifiedName: body.verified_name,
      });
    });

    test.each(having(/^get \/waba\/message_templates 200$/))('%s', async (_what, { body }) => {
      const templates = await answered(200, body).listTemplates(account);
      expect(templates).toEqual(
        body.data.map(({ id, name, language, status, category, components }: Json) => {
          return { id, name, language, status, category: category.toLowerCase(), components };
        }),
      );
    });
  });

  describe('answers of an onboarding', () => {
    test.each(having(/^get \/waba\/subscribed_apps 200$/))('%s', async (_what, { body }) => {
      expect(await answered(200, body).isAppSubscribed(account)).toBe(body.data.length > 0);
    });

    test.each(having(/^post \/(waba\/subscribed_apps|number\/register) 200$/))('%s', async (_what, { body }) => {
      expect(await answered(200, body).subscribeApp(account)).toBeUndefined();
      expect(await answered(200, body).registerNumber(account, '123456')).toBeUndefined();
    });
  });

  describe('errors: the sandbox gives them by a fault', () => {
    test.each(errors)('%s', async (_what, { method, parts, status, body }) => {
      const { code, error_subcode: subcode, message, type } = body.error;
      const path = `/v23.0/1/${parts.slice(1).join('/')}`;
      await house.control('faults', { match: { method, path }, kind: 'status', status, code, subcode, message, type });
      expect(await house.ask(method, path)).toMatchObject({
        status,
        body: { error: { ...body.error, fbtrace_id: expect.any(String) } },
      });
    });
  });

  describe('errors: sorted by their code', () => {
    const kinds: Record<number, [typeof ProviderError, object]> = {
      2: [ProviderFailed, {}],
      4: [ProviderBusy, { scope: 'channel' }],
      17: [ProviderBusy, { scope: 'channel' }],
      80007: [ProviderBusy, { scope: 'channel' }],
      100: [ProviderRefused, { stopsChannel: undefined }],
      104: [ProviderRefused, { stopsChannel: 'auth_error' }],
      190: [ProviderRefused, { stopsChannel: 'auth_error' }],
      200: [ProviderRefused, { stopsChannel: undefined }],
      803: [ProviderRefused, { stopsChannel: undefined }],
    };
    test.each(errors)('%s', async (_what, { status, body }) => {
      const [kind, more] = kinds[body.error.code]!;
      const app = answered(status, body);
      for (const work of [
        app.send(account, message),
        app.readNumber(account),
        app.ownsNumber(account),
        app.listTemplates(account),
        app.exchangeCode('code'),
        app.subscribeApp(account),
        app.isAppSubscribed(account),
        app.registerNumber(account, '123456'),
      ]) {
        const error = await work.catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(kind);
        expect(error).toMatchObject({ ...more, providerCode: String(body.error.code), message: body.error.message });
      }
    });
  });
});
