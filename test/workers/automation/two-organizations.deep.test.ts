import { expect, test } from '@jest/globals';
import { maxStartsAnHour } from '../../../src/automation/limits.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { rulesOf } from '../../support/automation-rules.ts';
import { waitFor } from '../../support/wait-for.ts';
import { heldRows, runRows } from '../../support/work/automation.ts';

const app = useApp({ workers: true });

/** An organization with a number, which answers whatever it is told. */
async function answering(tenant: Tenant) {
  const number = app.phone();
  const channel = await app.connect({ tenant, account: { display_phone_number: `+${number}` } });
  const { id } = await rulesOf(app, () => tenant).published({
    trigger: { type: 'event', event: 'message.new' },
    conditions: { field: 'message.direction', operator: 'eq', value: 'inbound' },
    steps: [{ id: 'answer', type: 'send_message', message: { type: 'text', text: { body: 'You said: {{ message.text }}' } } }],
    concurrency: 'each',
    limits: { allow_reentry: true },
  });
  return { number, channel, tenant, rule: id as string };
}
type Side = Awaited<ReturnType<typeof answering>>;

const runsOf = ({ rule }: Side): Promise<Body[]> =>
  runRows.all(app, { rule_id: rule }, ['state', 'chain'], { created_at: 'asc' });
const heldOf = ({ rule }: Side): Promise<Body[]> => heldRows.all(app, { rule_id: rule }, ['reason', 'count']);

/** What one of them sends, the other one hears: as the provider carries it. False: nothing was sent since. */
function wire(from: Side, to: Side) {
  let carried = 0;
  return async () => {
    const sends = await app.sends(from.channel);
    for (const { body } of sends.slice(carried)) {
      expect(body.to).toBe(to.number);
      await app.inbound(to.channel, from.number, body.text.body.slice(0, 100));
    }
    const isMore = sends.length > carried;
    carried = sends.length;
    return isMore;
  };
}

test('two organizations whose rules answer each other stop at the limit, and an event tells it', async () => {
  const one = await answering(app.tenant);
  const other = await answering(await app.organization());
  const wires = [wire(one, other), wire(other, one)];
  await app.inbound(one.channel, other.number);
  let rounds = 0;
  for (let isMore = true; isMore; rounds += 1) {
    expect(rounds).toBeLessThan(4 * maxStartsAnHour);
    await app.idle();
    isMore = false;
    for (const carry of wires) if (await carry()) isMore = true;
  }
  for (const side of [one, other]) {
    const runs = await runsOf(side);
    expect(runs).toHaveLength(maxStartsAnHour);
    // What a person writes has no chain, and what another organization writes is a person's.
    for (const run of runs) expect(run).toEqual({ state: 'succeeded', chain: [side.rule] });
    expect(await app.sends(side.channel)).toHaveLength(maxStartsAnHour);
  }
  expect(await heldOf(one)).toEqual([{ reason: 'too_often', count: 1 }]);
  expect(await heldOf(other)).toEqual([]);
  await waitFor('the event', async () => (await app.events(one.rule)).some(({ type }) => type === 'automation.rule.held'));
  const told = (await app.events(one.rule)).find(({ type }) => type === 'automation.rule.held');
  expect(told!.data).toMatchObject({ rule_id: one.rule, reason: 'too_often', count: 1 });
});
