import { beforeEach, expect, test } from '@jest/globals';
import type { Body, Channel } from '../support/app.ts';
import { completeDraft, templateOf, variantOf } from '../support/campaign-drafts.ts';
import { describeConsole, expectCalm, heading } from '../support/console.ts';
import { contact } from '../support/factories/contact.ts';
import { person } from '../support/factories/person.ts';
import { storedRecipients } from '../support/stored/campaigns.ts';
import { storedTemplates } from '../support/stored/messaging.ts';
import { waitFor } from '../support/wait-for.ts';

describeConsole('/console: campaigns', (at) => {
  let channel: Channel;
  let draft: Body;
  beforeEach(async () => {
    channel = await at.app.connect({ tenant: at.tenant });
    await waitFor('the templates', async () => (await storedTemplates.count(at.app, { channel_id: channel.id })) > 0);
    const people = await Promise.all([1, 2].map(() => contact(at.app.em(), at.tenant.organizationId)));
    // The second message is made a minute after the first: long enough to look.
    const variants = [variantOf(templateOf('hello', '{{ contact.name | default: "you" }}'))];
    const more = { variants, audience: { contact_ids: people.map(({ id }) => id) }, pace: { per_minute: 1 } };
    draft = await completeDraft(at.app, channel, more);
  });
  const start = () => at.app.call('campaigns.start', { key: at.tenant.key, params: { campaignID: draft.id } });
  const change = (set: string) => at.app.rows(`update campaigns set ${set} where id = $1`, [draft.id]);
  const recipients = (status: string, fields: object = {}) =>
    at.app.rows(
      `insert into campaign_recipients (id, organization_id, campaign_id, channel_id, status, reason, failure_code)
       values (uuidv7(), $1, $2, $3, $4, coalesce($5::jsonb ->> 'reason', ''), coalesce($5::jsonb ->> 'failure_code', ''))`,
      [at.tenant.organizationId, draft.id, channel.id, status, JSON.stringify(fields)],
    );

  test('one that runs is found, paused, resumed, and cancelled after a question', async () => {
    await start();
    const visit = await at.openIn();
    const { page } = visit;
    await page.getByRole('link', { name: 'Campaigns' }).click();
    await heading(visit, 'Campaigns').waitFor();
    const row = page.getByRole('row', { name: /Winter sale/ });
    await row.getByText('running').waitFor();
    await row.getByText('1 of 2 done').waitFor();
    await row.getByRole('link', { name: 'Winter sale' }).click();
    await heading(visit, 'Winter sale').waitFor();
    await page.getByRole('region', { name: 'Progress' }).getByText('1 of 2 done').waitFor();
    await page.getByRole('region', { name: 'Channels' }).getByText('connected').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('status').getByText('The campaign is paused.').waitFor();
    expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('status').getByText('The campaign is running.').waitFor();
    await page.getByRole('button', { name: 'Cancel…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByRole('button', { name: 'Cancel…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel it' }).click();
    await page.getByRole('status').getByText('The campaign is cancelled.').waitFor();
    expect(await page.getByRole('button', { name: /Pause|Resume|Cancel/ }).count()).toBe(0);
    await waitFor('the other person', async () => {
      const { body } = await at.app.call('campaigns.get', { key: at.tenant.key, params: { campaignID: draft.id } });
      return body.counts.skipped === 1 ? true : undefined;
    });
    await page.reload();
    await page.getByRole('table', { name: 'Who was not written to' }).getByText('The campaign was cancelled').waitFor();
    await page.getByRole('region', { name: 'Progress' }).getByText('2 of 2 done').waitFor();
    expectCalm(at, visit);
  });

  test('one that paused by itself says why and what to do, with the codes of what failed', async () => {
    for (const code of ['131026', '131026', '131049']) await recipients('failed', { failure_code: code });
    await recipients('skipped', { reason: 'suppressed' });
    await change(`status = 'paused', phase = 'sending', reason = 'too_many_failures', paused_at = now()`);
    const visit = await at.openIn(`#/campaigns/${draft.id}`);
    const { page } = visit;
    await page.getByText('Too many of the last messages failed.').waitFor();
    const failed = page.getByRole('table', { name: 'Why messages failed' }).getByRole('row');
    await failed.nth(2).waitFor();
    expect((await failed.allInnerTexts()).map((text) => text.split(/\s+/))).toEqual([
      ['Code', 'Recipients'],
      ['131026', '2'],
      ['131049', '1'],
    ]);
    await page.getByRole('table', { name: 'Who was not written to' }).getByText('Opted out or suppressed').waitFor();
    expectCalm(at, visit);
  });

  test('the list follows those that run, and is read again when one stops', async () => {
    await recipients('pending');
    await recipients('sent');
    await change(`status = 'running', phase = 'sending'`);
    const visit = await at.openIn('#/campaigns?status=running');
    const { page } = visit;
    const row = page.getByRole('row', { name: /Winter sale/ });
    await row.getByText('1 of 2 done').waitFor();
    await storedRecipients.change(at.app, { campaign_id: draft.id, status: 'pending' }, { status: 'failed' });
    await row.getByText('2 of 2 done, 1 failed').waitFor();
    await change(`status = 'completed', phase = null, ended_at = now()`);
    await page.getByText('No campaign is like this.').waitFor();
    expectCalm(at, visit);
  });

  test('who may only look is offered no button', async () => {
    at.who = await person(at.app.em(), at.tenant.organizationId, 'agent');
    await change(`status = 'paused', phase = 'sending', paused_at = now()`);
    const visit = await at.openIn(`#/campaigns/${draft.id}`);
    await heading(visit, 'Winter sale').waitFor();
    await visit.page.getByRole('region', { name: 'Results' }).getByText('No message failed.').waitFor();
    expect(await visit.page.getByRole('button', { name: /Pause|Resume|Cancel/ }).count()).toBe(0);
    expectCalm(at, visit);
  });

  test('the keyboard alone pauses one', async () => {
    await start();
    const visit = await at.openIn(`#/campaigns/${draft.id}`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    const focused = () => page.evaluate<string>('document.activeElement.textContent.trim()');
    for (let presses = 0; presses < 40 && (await focused()) !== 'Pause'; presses++) await page.keyboard.press('Tab');
    expect(await focused()).toBe('Pause');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('The campaign is paused.').waitFor();
    expectCalm(at, visit);
  });
});
