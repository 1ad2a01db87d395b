import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { App } from '../support/app.ts';
import { presentBackends } from '../support/backends.ts';
import { describeInBrowser } from '../support/browser.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { storedActs } from '../support/stored/accounts.ts';
import { holdPool, releasePool, storedJobs } from '../support/stored/api-jobs.ts';
import { storedDeliveries } from '../support/stored/webhooks.ts';
import { waitFor } from '../support/wait-for.ts';

const operator = { username: 'operator', password: 'operator-password' };

describeInBrowser('Bull Board', (visitor) => {
  describe.each(presentBackends().map(({ backendName, queueUrl }) => [backendName, queueUrl] as const))(
    '[%s]',
    (_name, queueUrl) => {
      const app = new App();
      let receiver: Receiver;
      beforeAll(async () => {
        receiver = await startReceiver();
        const env = { OPERATOR_PASSWORD: operator.password, ...(queueUrl && { QUEUE_URL: queueUrl }) };
        await app.start({ workers: true, env });
        // Until then the board answers 503.
        await app.web.deps.queues.whenOpen();
      });
      afterAll(async () => {
        await app.stop();
        await receiver.close();
      });

      const delivery = (endpointId: string) => storedDeliveries.one(app, { endpoint_id: endpointId });
      const ended = (endpointId: string, state: string) =>
        waitFor(`the delivery ${state}`, async () => {
          const row = await delivery(endpointId);
          return row.state === state && row;
        });

      /** A delivery whose receiver refuses it to the end: its last try is made, the three days before it are not waited for. */
      async function failedDelivery(): Promise<string> {
        receiver.answer({ status: 500 });
        const channel = await app.connect();
        const body = { url: receiver.url, event_types: ['message.new'] };
        const { id } = (await app.call('webhooks.endpoints.create', { body })).body;
        await holdPool(app, `endpoint:${id}`);
        await app.inbound(channel, app.phone(), 'Is my order on its way?');
        await waitFor('the delivery', async () => await storedDeliveries.count(app, { endpoint_id: id }));
        await storedJobs.change(app, { subject_id: (await delivery(id)).id }, { attempts: 9 });
        await releasePool(app, `endpoint:${id}`);
        await ended(id, 'failed');
        return id;
      }

      test('nobody gets in without the password', async () => {
        const { page } = await visitor.visit({ httpCredentials: { ...operator, password: 'guess' } });
        expect((await page.goto(`${app.base}/ops/queues`))?.status()).toBe(401);
      });

      test('an operator finds a failed delivery, reads why, retries it and sees it done', async () => {
        const endpointId = await failedDelivery();
        const job = await app.jobOf((await delivery(endpointId)).id);
        const { page, requests, complaints } = await visitor.visit({ httpCredentials: operator });

        await page.goto(`${app.base}/ops/queues`);
        expect(await page.title()).toBe('Kanal queues');
        await page.getByRole('link', { name: 'webhooks', exact: true }).first().click();
        await page.getByRole('link', { name: 'Failed 1' }).last().click();
        await page
          .getByRole('link', { name: `${job.id}.${job.run}` })
          .last()
          .click();
        await page.waitForURL(`**/${job.id}.${job.run}?*`);
        // The list it came from may still be on its way out.
        await page.getByText('http: HTTP 500').last().waitFor();
        expect(await page.locator('body').innerText()).not.toContain('worker.ts');

        receiver.answer({ status: 200 });
        const retry = page.locator('button:has(svg.lucide-refresh-cw)').last();
        await retry.hover();
        await page.getByText('Retry', { exact: true }).waitFor();
        await retry.click();
        await page.getByRole('button', { name: 'Confirm' }).click();

        await ended(endpointId, 'succeeded');
        expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([
          receiver.received[0]!.headers['webhook-id'],
          receiver.received[0]!.headers['webhook-id'],
        ]);
        expect(await app.jobOf((await delivery(endpointId)).id)).toBeUndefined();
        // A retry is a replay, which waits behind the first tries of others.
        await page.goto(`${app.base}/ops/queues/queue/webhook-retries?status=completed`);
        await page
          .getByRole('link', { name: `${job.id}.${job.run + 1}` })
          .first()
          .waitFor();
        await page.goto(`${app.base}/ops/queues/queue/webhooks?status=completed`);
        expect(await page.locator('a[href$="status=failed"]').last().innerText()).not.toMatch(/\d/);

        expect(await storedActs.all(app, { action: 'queue.job.retry' }, { columns: ['actor'] })).toEqual([
          { actor: 'operator:operator' },
        ]);
        expect(new Set(requests.map((url) => new URL(url).origin))).toEqual(new Set([app.base]));
        expect(complaints).toEqual([]);
      });
    },
  );
});
