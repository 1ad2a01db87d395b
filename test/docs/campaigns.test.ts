import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { demoAccount } from '../../sandbox/demo-account.ts';
import { campaignReasons } from '../../src/campaigns/states.ts';
import { useApp } from '../support/app.ts';
import { storedTemplates } from '../support/stored/messaging.ts';
import { waitFor } from '../support/wait-for.ts';
import { commandsOf, pasted } from './shell.ts';

const text = readFileSync('docs/campaigns.md', 'utf8');
const app = useApp({ workers: true });

test('the commands of "A first campaign" in docs/campaigns.md go from nobody to counted recipients', async () => {
  const channel = await app.connect({ account: { templates: demoAccount.templates } });
  const templates = () => storedTemplates.all(app, { channel_id: channel.id, name: 'spring_sale' });
  await waitFor('the templates', async () => (await templates()).length > 0);
  const first = text.slice(0, text.indexOf('\n## Segments'));
  const { code, output, told } = await pasted(app, commandsOf(first), ['FIRST', 'CONTACT', 'BAYU'], { 'channel.id': channel.id });
  expect([code, code === 0 ? '' : output.slice(-3_000)]).toEqual([0, '']);
  const { body: list } = await app.call('campaigns.recipients.list', { params: { campaignID: told.FIRST! } });
  const shown = Object.fromEntries(list.items.map((one: { contact_id: string; reason: string }) => [one.contact_id, one.reason]));
  expect(shown).toEqual({ [told.CONTACT!]: '', [told.BAYU!]: 'consent_required' });
  for (const said of ['"count":2', '"would_send":1', 'Hi Ayu, everything in the shop is 20 % off until Sunday.', 'running\n'])
    expect(output).toContain(said);
  // One as a test, one of the campaign.
  expect(await app.sends(channel)).toHaveLength(2);
});

test('every reason why a campaign pauses or fails is explained to whoever is on call', () => {
  const operations = readFileSync('docs/operations.md', 'utf8');
  for (const reason of campaignReasons) expect(operations).toContain(`| \`${reason}\` |`);
});
