import { expect, test } from '@jest/globals';
import { describeConsole, expectCalm } from '../support/console.ts';
import { person } from '../support/factories/person.ts';

describeConsole('/console: a message', (at) => {
  async function sent(fault?: object) {
    const channel = await at.app.connect({ tenant: at.tenant });
    if (fault) await at.app.fault(channel, fault);
    const { phone } = await at.app.conversation(channel);
    return String((await at.app.text(channel, phone)).body.data.id);
  }

  test('shows what became of it, its webhooks too', async () => {
    const id = await sent();
    await at.app.messageIn(id, 'read');
    const visit = await at.openIn(`#/messages/${id}`);
    const { page } = visit;
    const story = page.getByRole('region', { name: 'What happened' });
    await story.getByRole('heading', { name: 'Kanal accepted it' }).waitFor();
    await story.getByRole('heading', { name: 'Try 1 at the provider accepted' }).waitFor();
    await story.getByRole('heading', { name: 'The provider took it' }).waitFor();
    await story.getByRole('heading', { name: 'The provider says: read' }).waitFor();
    const told = story.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Webhooks tell of it' }) });
    expect(await told.getByRole('link', { name: at.receiver.url }).count()).toBe(1);
    await told.getByRole('link', { name: 'message.sent' }).click();
    await page.getByRole('heading', { level: 1, name: 'message.sent' }).waitFor();
    expectCalm(at, visit);
  });

  test('that was refused shows the try, the provider’s code and the reason', async () => {
    const id = await sent({ status: 400, code: 131026 });
    const { failure } = await at.app.messageIn(id, 'failed');
    const visit = await at.openIn(`#/messages/${id}`);
    const story = visit.page.getByRole('region', { name: 'What happened' });
    const attempt = story.getByRole('listitem').filter({ has: visit.page.getByRole('heading', { name: 'Try 1' }) });
    await attempt.getByText('refused for good').waitFor();
    expect(await attempt.getByText('131026', { exact: true }).count()).toBe(1);
    expect(await attempt.getByText(failure.message).count()).toBe(1);
    await story.getByRole('heading', { name: 'It failed for good' }).waitFor();
    expectCalm(at, visit);
  });

  test('that the provider could not take at first shows both tries in their order', async () => {
    const id = await sent({ status: 500, code: 131000 });
    await at.app.messageIn(id, 'read');
    const visit = await at.openIn(`#/messages/${id}`);
    const tries = visit.page.getByRole('heading', { name: /^Try \d/ });
    await tries.nth(1).waitFor();
    expect(await tries.allInnerTexts()).toEqual(['Try 1 at the provider failed', 'Try 2 at the provider accepted']);
    expectCalm(at, visit);
  });

  test('is shown to an agent without links to webhooks', async () => {
    at.who = await person(at.app.em(), at.tenant.organizationId, 'agent');
    const id = await sent();
    await at.app.messageIn(id, 'read');
    const visit = await at.openIn(`#/messages/${id}`);
    const story = visit.page.getByRole('region', { name: 'What happened' });
    await story.getByRole('heading', { name: 'Webhooks tell of it' }).first().waitFor();
    expect(await story.getByRole('link').count()).toBe(0);
    expectCalm(at, visit);
  });
});
