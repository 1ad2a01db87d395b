import { beforeEach, expect, test } from '@jest/globals';
import { addMember } from '../../src/organizations/members.ts';
import { OwnRows } from '../../src/platform/database/own.ts';
import { letPoolGo, nobody } from '../../src/platform/ledger/pools.ts';
import { replayPool, replayPoolWidth } from '../../src/webhooks/replay/jobs.ts';
import type { Visit } from '../support/browser.ts';
import { describeConsole, expectCalm, heading } from '../support/console.ts';
import { deliveries } from '../support/factories/deliveries.ts';

describeConsole('/console: work on many deliveries', (at) => {
  const pool = { organization_id: nobody, id: replayPool };
  const letGo = async () => {
    await letPoolGo(at.app.em(), pool);
    await at.app.web.deps.ledger.fill(pool);
  };
  /** Bulk work that is asked for waits until it is let go: so its page shows what can be done meanwhile. */
  const hold = () =>
    at.app.rows(
      `insert into pools (organization_id, id, width, held_until) values ($1, $2, $3, 'infinity')
       on conflict (organization_id, id) do update set held_until = 'infinity'`,
      [nobody, replayPool, replayPoolWidth],
    );
  beforeEach(letGo);

  const states = async () =>
    (
      await at.app.rows('select state, count(*)::int as n from webhook_deliveries where endpoint_id = $1 group by state', [
        at.endpointId,
      ])
    ).map(({ state, n }) => `${n} ${state}`);
  const stateOf = ({ page }: Visit) => page.getByRole('definition').first();
  async function begin(visit: Visit, label: string, action: string, kind: string) {
    await visit.page.getByRole('button', { name: label }).click();
    await visit.page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
    await heading(visit, `Operation webhooks.${kind}`).waitFor();
  }

  test('all that failed is recovered, and its operation is seen to its end', async () => {
    await at.failed(30);
    const visit = await at.openIn(`#/endpoints/${at.endpointId}`);
    const { page } = visit;
    await begin(visit, 'Recover…', 'Recover', 'recover');
    await page.getByText('31 done').waitFor();
    await page.getByText('succeeded', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Operations' }).click();
    await page.getByRole('table').getByRole('link', { name: 'webhooks.recover' }).waitFor();
    expectCalm(at, visit);
  });

  test('what failed after its ten attempts is recovered from the time that the dialog begins with', async () => {
    const scheduleHours = 78;
    const made = { ageMinutes: scheduleHours * 60 };
    await deliveries((text, params) => at.app.rows(text, params), { ...at.tenant, endpointId: at.endpointId }, made);
    const visit = await at.openIn(`#/endpoints/${at.endpointId}`);
    await begin(visit, 'Recover…', 'Recover', 'recover');
    await visit.page.getByText('2 done').waitFor();
    expectCalm(at, visit);
  });

  test('bulk work is paused, stays so, and is resumed to its end', async () => {
    await hold();
    const visit = await at.openIn(`#/endpoints/${at.endpointId}`);
    const { page } = visit;
    await begin(visit, 'Recover…', 'Recover', 'recover');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('status').getByText('The operation is paused.').waitFor();
    await letGo();
    await page.reload();
    await stateOf(visit).getByText('paused').waitFor();
    expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0);
    expect(await states()).toEqual(['1 failed']);
    await page.getByRole('button', { name: 'Resume' }).click();
    await stateOf(visit).getByText('succeeded').waitFor();
    await page.getByText('1 done').waitFor();
    expect(await page.getByRole('button', { name: /Resume|Pause|Call off/ }).count()).toBe(0);
    expectCalm(at, visit);
  });

  test('bulk work is called off after a question, and what it has not reached stays', async () => {
    await hold();
    const visit = await at.openIn(`#/endpoints/${at.endpointId}`);
    const { page } = visit;
    await begin(visit, 'Recover…', 'Recover', 'recover');
    await page.getByRole('button', { name: 'Call off…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click();
    await stateOf(visit).getByText('queued').waitFor();
    await page.getByRole('button', { name: 'Call off…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Call it off' }).click();
    await page.getByRole('status').getByText('The operation is cancelled.').waitFor();
    await page.getByText(/^cancelled: Called off by/).waitFor();
    expect(await page.getByRole('button', { name: /Resume|Pause|Call off/ }).count()).toBe(0);
    expect(await states()).toEqual(['1 failed']);
    expect(at.receiver.received).toEqual([]);
    expectCalm(at, visit);
  });

  test('pending deliveries are cancelled, and their list says so', async () => {
    const made = { count: 3, state: 'later' as const };
    await deliveries((text, params) => at.app.rows(text, params), { ...at.tenant, endpointId: at.endpointId }, made);
    const visit = await at.openIn(`#/endpoints/${at.endpointId}`);
    const { page } = visit;
    await begin(visit, 'Cancel pending…', 'Cancel it', 'cancel');
    await stateOf(visit).getByText('succeeded').waitFor();
    expect((await states()).toSorted()).toEqual(['1 failed', '3 cancelled']);
    await page.goto(`${at.app.base}/console#/endpoints/${at.endpointId}?state=cancelled`);
    await page.getByRole('table', { name: 'Deliveries, newest first' }).getByText('cancelled').nth(2).waitFor();
    expectCalm(at, visit);
  });

  test('events are replayed, those that were delivered too', async () => {
    const made = { count: 2, state: 'succeeded' as const };
    await deliveries((text, params) => at.app.rows(text, params), { ...at.tenant, endpointId: at.endpointId }, made);
    const visit = await at.openIn(`#/endpoints/${at.endpointId}`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Replay events…' }).click();
    await page.getByLabel('Event types').fill('message.*');
    await page.getByRole('dialog').getByRole('button', { name: 'Replay', exact: true }).click();
    await heading(visit, 'Operation webhooks.replay').waitFor();
    await stateOf(visit).getByText('succeeded').waitFor();
    await page.getByText('3 done').waitFor();
    await page.goto(`${at.app.base}/console#/endpoints/${at.endpointId}?state=succeeded`);
    const table = page.getByRole('table', { name: 'Deliveries, newest first' });
    await table.getByRole('link', { name: 'message.sent' }).first().waitFor();
    expectCalm(at, visit);
  });

  test('a replay that the API refuses says why, and the dialog stays', async () => {
    const visit = await at.openIn(`#/endpoints/${at.endpointId}`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Replay events…' }).click();
    await page.getByLabel('Event types').fill('no.such.type');
    await page.getByRole('dialog').getByRole('button', { name: 'Replay', exact: true }).click();
    await page
      .getByRole('dialog')
      .getByRole('alert')
      .getByText(/event_types/)
      .waitFor();
    expect(await page.getByLabel('Event types').inputValue()).toBe('no.such.type');
    expectCalm(at, visit);
  });

  test('a member of two organizations goes from one to the other and sees what that one has', async () => {
    const other = await at.app.organization();
    await addMember(new OwnRows(at.app.em(), other.organizationId), at.who.userId, 'owner');
    const body = { url: 'http://127.0.0.1:9/of-the-other', event_types: ['message.sent'] };
    await at.app.call('webhooks.endpoints.create', { key: other.key, body });
    const visit = await at.openIn();
    const { page } = visit;
    const choice = page.getByRole('combobox', { name: 'Organization' });
    await choice.selectOption(at.tenant.organizationId);
    await page.getByRole('link', { name: at.receiver.url }).waitFor();
    await choice.selectOption(other.organizationId);
    await page.getByRole('link', { name: body.url }).waitFor();
    expect(await page.getByRole('link', { name: at.receiver.url }).count()).toBe(0);
    await page.reload();
    await page.getByRole('link', { name: body.url }).waitFor();
    expect(await choice.inputValue()).toBe(other.organizationId);
    expectCalm(at, visit);
  });
});
