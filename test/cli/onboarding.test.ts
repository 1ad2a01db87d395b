import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { uuidv7 } from '../../src/platform/ids.ts';
import { type House, openHouse } from '../support/house.ts';
import { onboardingRows } from '../support/work/channels.ts';
import { inProcessOn } from './in-process.ts';

let house: House;
let kanal: ReturnType<typeof inProcessOn>;
beforeAll(async () => {
  house = await openHouse();
  kanal = inProcessOn(house.url);
});
afterAll(() => house.close());

const made = (step: string, status: string, error: string | null = null): Promise<string> =>
  onboardingRows.add(house, {
    organization_id: house.organizationId,
    account_id: '2',
    phone_number_id: '1',
    current_step: step as 'completed',
    step_status: status as 'completed',
    completed_steps: [],
    error,
    rate: 80,
    access_token: 'sealed',
  });

test('what is unfinished is listed with why, and each is shown, without its token', async () => {
  expect((await kanal('onboarding', 'list')).stdout).toBe('No onboarding is unfinished\n');
  const done = await made('completed', 'completed');
  const failed = await made('register_phone', 'failed', 'PIN \u001b[31mmismatch (133005)');
  const { code, stdout } = await kanal('onboarding', 'list');
  const [heading, line, ...more] = stdout.trimEnd().split('\n');
  expect([code, more]).toEqual([0, []]);
  expect(heading).toMatch(/^id +organization +number +step +is +changed +error$/);
  expect(line).toMatch(
    new RegExp(`^${failed} +${house.organizationId} +1 +register_phone +failed +\\S+Z +PIN \ufffd\\[31mmismatch`),
  );

  const listed = JSON.parse((await kanal('onboarding', 'list', '--json')).stdout);
  expect(listed).toMatchObject([{ id: failed, organization: 'Test', current_step: 'register_phone', step_status: 'failed' }]);
  expect(JSON.stringify(listed)).not.toContain('sealed');

  const nobodys = uuidv7();
  const shown = await kanal('onboarding', 'show', failed, done, nobodys);
  expect(shown.stdout.split('\n')).toEqual([
    expect.stringMatching(
      new RegExp(
        `^${failed}  register_phone failed, of Test \\(${house.organizationId}\\), number 1 of account 2, started \\S+Z, changed \\S+Z, PIN \ufffd`,
      ),
    ),
    expect.stringContaining(`${done}  completed completed`),
    '',
  ]);
  expect([shown.code, shown.stderr]).toEqual([1, `${nobodys}: Onboarding not found\n`]);
});
