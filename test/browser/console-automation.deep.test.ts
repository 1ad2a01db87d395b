import { beforeEach, expect, test } from '@jest/globals';
import { rulesOf } from '../support/automation-rules.ts';
import { describeConsole, expectCalm, heading, hostile } from '../support/console.ts';
import { automationRun, rule } from '../support/factories/automation.ts';
import { contact } from '../support/factories/contact.ts';
import { person } from '../support/factories/person.ts';
import { heldBack, storedRules, storedRuns } from '../support/stored/automation.ts';
import { storedContacts } from '../support/stored/contacts.ts';

const manual = { trigger: { type: 'manual', subject: 'contact' } };
const awaiting = {
  ...manual,
  steps: [
    { id: 'mark', type: 'add_tag', tag: 'asked' },
    { id: 'answer', type: 'wait_for', event: 'message.new', timeout: { days: 2 } },
  ],
};

describeConsole('/console: automation', (at) => {
  const rules = rulesOf(at.app, () => at.tenant);
  let contactId: string;
  beforeEach(async () => {
    contactId = (await contact(at.app.em(), at.tenant.organizationId)).id;
  });
  const madeRule = (given = {}) => rule(at.app.em(), at.tenant.organizationId, given);
  const madeRun = (given: { ruleId: string; state?: 'failed' | 'cancelled' | 'running' }) =>
    automationRun(at.app.em(), at.tenant.organizationId, { contactId, ...given });
  const ofContact = () => ({ subject: { type: 'contact', id: contactId } });

  test('without a rule the list says so, and where they come from', async () => {
    const visit = await at.openIn();
    await visit.page.getByRole('link', { name: 'Rules', exact: true }).click();
    await heading(visit, 'Rules').waitFor();
    await visit.page.getByText('There is no rule yet.').waitFor();
    await visit.page.getByRole('link', { name: 'Runs of rules' }).click();
    await heading(visit, 'Runs').waitFor();
    await visit.page.getByText('No run is like this.').waitFor();
    expectCalm(at, visit);
  });

  test('a draft is found, published after a question, paused and resumed', async () => {
    await rules.draft({ trigger: { type: 'keyword', match: 'starts_with', keywords: ['price', hostile] } });
    const visit = await at.openIn('#/rules');
    const { page } = visit;
    const row = page.getByRole('row', { name: /Welcome/ });
    await row.getByText('draft').waitFor();
    await row.getByText(`A message that starts with “price” or “${hostile}”`).waitFor();
    await row.getByText('none yet').waitFor();
    await row.getByRole('link', { name: 'Welcome' }).click();
    await heading(visit, 'Welcome').waitFor();
    await page.getByText('none: never published').waitFor();
    await page.getByText('The draft', { exact: true }).click();
    await page.getByText('"tag": "new"').waitFor();
    await page.getByRole('button', { name: 'Publish…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click();
    await page.getByRole('button', { name: 'Publish…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish it' }).click();
    await page.getByRole('status').getByText('The rule is live.').waitFor();
    expect(await page.getByRole('button', { name: /Publish|Resume/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('status').getByText('The rule is paused.').waitFor();
    expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('status').getByText('The rule is live.').waitFor();
    expectCalm(at, visit);
  });

  test('a live rule with another draft shows both, and publishes the draft as the next version', async () => {
    const { id } = await rules.published({ trigger: { type: 'schedule', cron: '0 9 * * 1', timezone: 'Asia/Jakarta' } });
    await rules.act('update', id, { trigger: { type: 'event', event: 'contact.updated' } });
    const visit = await at.openIn(`#/rules/${id}`);
    const { page } = visit;
    const fact = (name: string) => page.locator('main dl div', { has: page.getByText(name, { exact: true }) }).locator('dd');
    await fact('Begins with').getByText('The schedule 0 9 * * 1 (Asia/Jakarta)').waitFor();
    await fact('Draft begins with').getByText('The event contact.updated').waitFor();
    // At weekends it is a day ahead.
    await fact('Next moment')
      .getByText(/in \d+|tomorrow/)
      .waitFor();
    await fact('Version').getByText('1; the draft has changes').waitFor();
    await page.getByRole('button', { name: 'Publish…' }).click();
    await page.getByRole('dialog').getByText('becomes version 2').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish it' }).click();
    await page.getByRole('status').getByText('Version 2 is live.').waitFor();
    await fact('Begins with').getByText('The event contact.updated').waitFor();
    expect(await fact('Draft begins with').count()).toBe(0);
    expectCalm(at, visit);
  });

  test('what a draft may not be published for stands in the dialog, and nothing changes', async () => {
    const gone = '01999999-9999-7999-8999-999999999999';
    const steps = [{ id: 'hand', type: 'assign_conversation', user_id: gone }];
    const { id } = await rules.draft({ steps });
    const visit = await at.openIn(`#/rules/${id}`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Publish…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish it' }).click();
    await page.getByRole('dialog').getByRole('alert').getByText(/steps/).waitFor();
    expect(await rules.row(id)).toMatchObject({ status: 'draft', version: 0 });
    expectCalm(at, visit);
  });

  test('one that paused by itself says why and what to do, with its failed runs and what was held back', async () => {
    const { id } = await madeRule({ status: 'paused' });
    await madeRun({ ruleId: id, state: 'failed' });
    await madeRun({ ruleId: id, state: 'cancelled' });
    await storedRules.change(at.app, id, { paused_reason: 'only_fails' });
    await heldBack(at.app, at.tenant.organizationId, id, { too_often: 7, loop: 2 });
    const visit = await at.openIn('#/rules?status=paused');
    const { page } = visit;
    const row = page.getByRole('row', { name: /Welcome/ });
    await row.getByText('its last runs all failed').waitFor();
    await row.getByText('1 failed, 1 cancelled').waitFor();
    await row.getByRole('cell', { name: '9', exact: true }).waitFor();
    await row.getByRole('link', { name: 'Welcome' }).click();
    await page.getByText('Mend the cause, then resume.').waitFor();
    const held = page.getByRole('table', { name: 'Starts that were held back' });
    await held
      .getByRole('row', { name: /too_often/ })
      .getByRole('cell', { name: '7' })
      .waitFor();
    const runs = page.getByRole('table', { name: 'Runs, newest first' });
    expect(await runs.getByRole('link').count()).toBe(2);
    await page.getByRole('region', { name: 'Runs' }).getByLabel('State').selectOption('failed');
    await page.getByRole('button', { name: 'Filter' }).click();
    await runs.getByText('cancelled').waitFor({ state: 'detached' });
    expect(await runs.getByRole('link').count()).toBe(1);
    expectCalm(at, visit);
  });

  test('a run that waits says for what and until when, shows its steps, and is cancelled after a question', async () => {
    const { id } = await rules.published(awaiting);
    const begun = await rules.act('run', id, ofContact());
    expect(begun.status).toBe(201);
    await at.app.idle();
    const visit = await at.openIn(`#/rules/${id}`);
    const { page } = visit;
    const row = page.getByRole('table', { name: 'Runs, newest first' }).getByRole('row', { name: new RegExp(contactId) });
    await row.getByText(/an event, until .*in 2 days/).waitFor();
    await row.getByRole('link').click();
    await heading(visit, 'Run of Welcome').waitFor();
    await page.getByText(/the event message\.new, until/).waitFor();
    const steps = page.getByRole('region', { name: 'Its steps' }).getByRole('listitem');
    await steps.first().getByText('done').waitFor();
    await steps.first().getByText('Input').click();
    await steps.first().getByText('"tag": "asked"').first().waitFor();
    await steps.nth(1).getByText('waiting').waitFor();
    await page.getByRole('button', { name: 'Cancel…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel it' }).click();
    await page.getByRole('status').getByText('The run is cancelled.').waitFor();
    await page.getByText('Somebody asked for it').waitFor();
    expect(await page.getByRole('button', { name: /Cancel|Retry/ }).count()).toBe(0);
    expectCalm(at, visit);
  });

  test('a run that failed shows the step with its error and input, and goes on when it is retried', async () => {
    // A name is no time, until somebody mends it.
    await storedContacts.change(at.app, contactId, { name: hostile });
    const { id: ruleId } = await rules.published({
      ...manual,
      steps: [
        { id: 'until', type: 'set_vars', vars: { name: '{{ contact.name }}' } },
        { id: 'late', type: 'wait', until: '{{ contact.name }}' },
      ],
    });
    const { id } = (await rules.act('run', ruleId, ofContact())).body;
    await at.app.idle();
    const visit = await at.openIn(`#/runs/${id}`);
    const { page } = visit;
    const failed = page.getByRole('region', { name: 'Its steps' }).getByRole('listitem');
    await failed
      .nth(1)
      .getByText(/^invalid_request: .*A wait is until a time/)
      .waitFor();
    await page.getByRole('region', { name: 'Its variables' }).getByText(hostile).waitFor();
    await storedContacts.change(at.app, contactId, { name: '2020-01-01T00:00:00Z' });
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('status').getByText('The run is succeeded.').waitFor();
    expect(await page.getByRole('button', { name: /Cancel|Retry/ }).count()).toBe(0);
    expectCalm(at, visit);
  });

  test('a call with an unknown outcome is made again only after a question', async () => {
    const { id: ruleId } = await madeRule();
    const { id } = await madeRun({ ruleId, state: 'failed' });
    const error = { code: 'outcome_unknown', message: 'The answer was lost' };
    await storedRuns.change(at.app, id, { error, failed_step: 'call' });
    const visit = await at.openIn(`#/runs/${id}`);
    await visit.page.getByRole('button', { name: 'Retry…' }).click();
    await visit.page.getByRole('dialog').getByText('Look at the other system first').waitFor();
    await visit.page.getByRole('dialog').getByRole('button', { name: 'Back' }).click();
    expect((await storedRuns.one(at.app, id)).state).toBe('failed');
    expectCalm(at, visit);
  });

  test('all live runs of a rule are cancelled after a question, as an operation', async () => {
    const { id } = await rules.published(awaiting);
    const { body: run } = await rules.act('run', id, ofContact());
    await at.app.idle();
    const visit = await at.openIn(`#/rules/${id}`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Retry failed…' }).waitFor();
    await page.getByRole('button', { name: 'Cancel live…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel them' }).click();
    await heading(visit, 'Operation automation.cancel-runs').waitFor();
    await page.getByText('succeeded', { exact: true }).waitFor();
    await page.getByText('1 done').waitFor();
    await page.goto(`${at.app.base}/console#/runs/${run.id}`);
    await page.getByText('Somebody asked for it').waitFor();
    expectCalm(at, visit);
  });

  test('what the API refuses stands beside the button', async () => {
    const { id: ruleId } = await madeRule();
    const { id } = await madeRun({ ruleId, state: 'failed' });
    const visit = await at.openIn(`#/runs/${id}`);
    await visit.page.getByRole('button', { name: 'Retry' }).waitFor();
    await storedRuns.remove(at.app, id);
    await visit.page.getByRole('button', { name: 'Retry' }).click();
    await visit.page.getByRole('alert').getByText('Run not found').waitFor();
    expectCalm(at, visit);
  });

  test('a run leads to all runs about its person, of whatever rule', async () => {
    const one = await madeRule();
    const other = await madeRule({ status: 'paused' });
    const { id } = await madeRun({ ruleId: one.id });
    await madeRun({ ruleId: other.id });
    await automationRun(at.app.em(), at.tenant.organizationId, { ruleId: one.id });
    const visit = await at.openIn(`#/runs/${id}`);
    const { page } = visit;
    await page.getByRole('link', { name: 'All runs about the person' }).click();
    await heading(visit, 'Runs about a person').waitFor();
    const listed = page.getByRole('table', { name: 'Runs, newest first' });
    await listed.getByRole('link', { name: 'Welcome' }).nth(1).waitFor();
    expect(await listed.getByRole('link', { name: contactId }).count()).toBe(2);
    expectCalm(at, visit);
  });

  test('who may only look is offered no button', async () => {
    at.who = await person(at.app.em(), at.tenant.organizationId, 'agent');
    const { id } = await madeRule();
    const run = await madeRun({ ruleId: id, state: 'failed' });
    const visit = await at.openIn(`#/rules/${id}`);
    const { page } = visit;
    await page.getByText('No start was held back.').waitFor();
    expect(await page.getByRole('button', { name: /Publish|Pause|Resume|Cancel|Retry/ }).count()).toBe(0);
    await page.getByRole('table', { name: 'Runs, newest first' }).getByRole('link').click();
    await heading(visit, 'Run of Welcome').waitFor();
    await page.getByText('It has taken no step yet.').waitFor();
    expect(await page.getByRole('button', { name: /Cancel|Retry/ }).count()).toBe(0);
    expect(page.url()).toContain(run.id);
    expectCalm(at, visit);
  });

  test('the keyboard alone pauses a rule', async () => {
    const { id } = await madeRule();
    const visit = await at.openIn(`#/rules/${id}`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    const focused = () => page.evaluate<string>('document.activeElement.textContent.trim()');
    for (let presses = 0; presses < 40 && (await focused()) !== 'Pause'; presses++) await page.keyboard.press('Tab');
    expect(await focused()).toBe('Pause');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('The rule is paused.').waitFor();
    expectCalm(at, visit);
  });
});
