import { expect, test } from '@jest/globals';
import { heldReasons, stepStates } from '../../src/automation/states.ts';
import { recipientStatuses } from '../../src/campaigns/states.ts';
import type { Visit } from '../support/browser.ts';
import { describeConsole, expectCalm, heading } from '../support/console.ts';
import { faintTexts, shownTexts } from '../support/contrast.ts';
import { automationRun, rule, stepOf } from '../support/factories/automation.ts';
import { campaign } from '../support/factories/campaign.ts';
import { contact } from '../support/factories/contact.ts';
import { heldBack, storedRules, storedRuns, storedSteps } from '../support/stored/automation.ts';
import { storedCampaigns } from '../support/stored/campaigns.ts';
import { now } from '../support/stored/times.ts';

const places = [
  '',
  '#/endpoints/:endpoint',
  '#/deliveries/:delivery',
  '#/events',
  '#/messages',
  '#/messages/:message',
  '#/campaigns',
  '#/campaigns/:campaign',
  '#/rules',
  '#/rules/:rule',
  '#/runs',
  '#/runs/:run',
  '#/operations',
  '#/keys',
];
const sizes = { desk: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
/** A folder for a picture of each page at each size, for people to look at. */
const pictures = process.env.CONSOLE_PICTURES;

describeConsole('/console: its looks', (at) => {
  const overflow = ({ page }: Visit) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

  async function refused(): Promise<string> {
    const channel = await at.app.connect({ tenant: at.tenant });
    await at.app.fault(channel, { status: 400, code: 131026 });
    const { phone } = await at.app.conversation(channel);
    const { id } = (await at.app.text(channel, phone)).body.data;
    await at.app.messageIn(id, 'failed');
    return id;
  }
  /** Loaded anew, until nothing is still to come: what the page before showed proves nothing of this one. */
  async function show({ page }: Visit, hash: string) {
    await page.goto('about:blank');
    await page.goto(`${at.app.base}/console${hash}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    await page.getByText('Loading…').first().waitFor({ state: 'detached' });
    expect([hash, await page.locator('[role=alert]:not(:empty)').allInnerTexts()]).toEqual([hash, []]);
  }
  /** One that paused by itself, with recipients of every kind. */
  async function pausedCampaign(): Promise<string> {
    const channel = await at.app.connect({ tenant: at.tenant });
    const { id } = await campaign(at.app.em(), at.tenant.organizationId, {
      channelIds: [channel.id],
      status: 'paused',
      phase: 'sending',
    });
    await storedCampaigns.change(at.app, id, { reason: 'spam_limit', paused_at: now() });
    await at.app.rows(
      `insert into campaign_recipients (id, organization_id, campaign_id, channel_id, status, reason, failure_code)
       select uuidv7(), $1, $2, $3, status, case status when 'skipped' then 'suppressed' else '' end,
              case status when 'failed' then '131048' else '' end
         from unnest($4::text[]) status`,
      [at.tenant.organizationId, id, channel.id, recipientStatuses],
    );
    return id;
  }
  /** One that paused by itself, with a failed run that has steps of every state, and with starts that were held back. */
  async function pausedRule(): Promise<{ rule: string; run: string }> {
    const { organizationId } = at.tenant;
    const { id: ruleId } = await rule(at.app.em(), organizationId, { status: 'paused' });
    await storedRules.change(at.app, ruleId, { paused_reason: 'only_fails', mode: 'log' });
    await heldBack(at.app, organizationId, ruleId, Object.fromEntries(heldReasons.map((reason) => [reason, 3])));
    await automationRun(at.app.em(), organizationId, { ruleId, state: 'cancelled' });
    const contactId = (await contact(at.app.em(), organizationId)).id;
    const run = await automationRun(at.app.em(), organizationId, { ruleId, state: 'failed', contactId, vars: { n: 1 } });
    for (const [index, state] of stepStates.entries())
      await stepOf(at.app.em(), organizationId, run.id, {
        number: index + 1,
        state,
        input: { tag: state },
        output: { tag_id: ruleId },
      });
    const error = { code: 'not_found', message: 'Contact not found' };
    await storedSteps.change(at.app, { run_id: run.id, state: 'failed' }, { error });
    await storedRuns.change(at.app, run.id, { error, failed_step: 'step_4' });
    return { rule: ruleId, run: run.id };
  }
  const placesNow = async () => {
    const ids = {
      endpoint: at.endpointId,
      delivery: at.deliveryId,
      message: await refused(),
      campaign: await pausedCampaign(),
      ...(await pausedRule()),
    };
    return places.map((hash) => hash.replace(/:(\w+)/, (_, name: keyof typeof ids) => ids[name]));
  };

  test.each(Object.keys(sizes) as (keyof typeof sizes)[])('no page is wider than a %s', async (size) => {
    const shown = await placesNow();
    const visit = await at.openIn('', { viewport: sizes[size] });
    for (const [index, hash] of places.entries()) {
      await show(visit, shown[index]!);
      expect([hash, Math.max(0, await overflow(visit))]).toEqual([hash, 0]);
      const name = hash.replaceAll(/\W+/g, '-');
      if (pictures) await visit.page.screenshot({ path: `${pictures}/${size}${name}.png`, fullPage: true });
    }
    expectCalm(at, visit);
  });

  test.each(['light', 'dark'] as const)(
    'every text has a contrast of 4.5 to 1 and more when the system is %s',
    async (colorScheme) => {
      const shown = await placesNow();
      const visit = await at.open('', { colorScheme });
      const { page } = visit;
      const check = async (place: string) => {
        expect(await shownTexts(page)).toBeGreaterThan(3);
        expect([place, await faintTexts(page, 4.5)]).toEqual([place, []]);
      };
      await heading(visit, 'Log in').waitFor();
      await check('log in');
      await page.getByLabel('Email').fill(at.who.email);
      await page.getByLabel('Password').fill('not this one');
      await page.getByRole('button', { name: 'Log in' }).click();
      await page
        .getByRole('alert')
        .getByText(/password/i)
        .waitFor();
      await check('a wrong password');
      await at.logIn(visit);
      for (const [index, hash] of places.entries()) {
        await show(visit, shown[index]!);
        await check(hash);
        const name = hash.replaceAll(/\W+/g, '-');
        if (pictures) await page.screenshot({ path: `${pictures}/${colorScheme}${name}.png`, fullPage: true });
      }
      await page.goto(`${at.app.base}/console#/endpoints/${at.endpointId}`);
      for (const label of ['Recover…', 'Cancel pending…']) {
        await page.getByRole('button', { name: label }).click();
        await page.getByRole('dialog').waitFor();
        await check(label);
        if (pictures) await page.screenshot({ path: `${pictures}/${colorScheme}-dialog-${label.slice(0, 6)}.png` });
        await page.keyboard.press('Escape');
      }
      expectCalm(at, visit);
    },
  );

  test('the look at contrasts finds a text that is too faint, and one that is nearly seen through', async () => {
    const { page } = await at.openIn();
    await page.evaluate(`document.querySelector('main').append(
      Object.assign(document.createElement('p'), { textContent: 'grey on white', style: 'color: rgb(119 119 119); background: white' }),
      Object.assign(document.createElement('p'), { textContent: 'half there', style: 'color: black; background: white; opacity: 0.3' }))`);
    expect((await faintTexts(page, 4.5)).map(({ text }) => text)).toEqual(['grey on white', 'half there']);
  });

  test.each(['light', 'dark'] as const)('is %s as the system is', async (colorScheme) => {
    const { page } = await at.open('', { colorScheme });
    const ground = await page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
    const [red = 0] = ground.match(/\d+/g)!.map(Number);
    expect(red > 127).toBe(colorScheme === 'light');
  });
});
