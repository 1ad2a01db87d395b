import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { feedCampaignJob } from '../../../src/campaigns/jobs.ts';
import { CampaignRecipient } from '../../../src/campaigns/recipient.entity.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { registerContracts } from '../../../src/platform/ledger/contracts.ts';
import { peopleOf } from '../../support/campaign-people.ts';
import { type House, openHouse } from '../../support/house.ts';
import { setCampaign } from '../../support/rules/campaigns.ts';
import { inMs } from '../../support/rules/clock.ts';
import { deleteMessage, setMessage } from '../../support/rules/messages.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
  registerContracts([feedCampaignJob]);
});
afterAll(() => house.close());

const rules = ['a queued recipient has', 'an ended campaign has', 'an open message of a campaign'];
const found = async () => (await checkJobs(house.database)).filter(({ rule }) => rules.some((start) => rule.startsWith(start)));

test('recipients that no job will move are named', async () => {
  const { running, person } = peopleOf(house);
  const id = await running();
  const ended = await running({ status: 'completed' });
  await setCampaign(house.em(), ended, { ended_at: inMs(0) });
  const good = await person(id);
  await person(id, 'read');
  await person(ended, 'read');
  expect(await found()).toEqual([]);
  const [settled, missing, left, alone] = [await person(id), await person(id), await person(ended, 'pending'), await person(id)];
  await setMessage(house.em(), settled.messageId!, { status: 'sent' });
  await deleteMessage(house.em(), missing.messageId!);
  await house.em().nativeDelete(CampaignRecipient, { id: alone.id });
  const named = Object.fromEntries((await found()).map(({ id: row, detail }) => [row, detail]));
  expect(named).toEqual({
    [settled.id]: `campaign ${id}, message sent`,
    [missing.id]: `campaign ${id}, message missing`,
    [left.id]: `completed campaign ${ended}`,
    [alone.messageId]: `campaign ${id}`,
  });
  expect(named).not.toHaveProperty(good.id);
});

test('somebody who waits in a campaign that has failed is named', async () => {
  const { running, person } = peopleOf(house);
  const id = await running();
  await setCampaign(house.em(), id, { status: 'failed', phase: null, ended_at: inMs(0) });
  const { id: recipient } = await person(id, 'pending');
  expect(await found()).toContainEqual(expect.objectContaining({ id: recipient, detail: `failed campaign ${id}` }));
});
