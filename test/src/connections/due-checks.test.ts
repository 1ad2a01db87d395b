import { describe, expect, test } from '@jest/globals';
import { Connection } from '../../../src/connections/connection.entity.ts';
import { askDueChecks } from '../../../src/connections/due-checks.ts';
import { useApp } from '../../support/app.ts';
import { connectCalendar } from '../../support/connections.ts';
import { databaseNowMs, hourMs, inMs } from '../../support/rules/clock.ts';

const app = useApp();
const look = () => askDueChecks(app.web.deps.ledger.transact);
const due = (ids: string[]) => app.em().nativeUpdate(Connection, { id: { $in: ids } }, { next_check_at: inMs(0) });

describe('daily checks', () => {
  test('a new connection is looked at a day later; a due one once, over all workers', async () => {
    const { id } = await connectCalendar(app);
    expect(await look()).toBe(0);
    await due([id]);
    expect((await Promise.all([look(), look(), look()])).reduce((sum, found) => sum + found)).toBe(1);
    const { next_check_at } = await app.em().findOneOrFail(Connection, { id });
    const hours = (Date.parse(next_check_at!) - (await databaseNowMs(app.em()))) / hourMs;
    expect(hours).toBeGreaterThan(17);
    expect(hours).toBeLessThan(31);
  });

  test('one whose check is still under way gets no second one; a deleted one gets none', async () => {
    const { id } = await connectCalendar(app);
    await due([id]);
    expect([await look(), await due([id]).then(look)]).toEqual([1, 0]);
    const other = await connectCalendar(app);
    await due([other.id]);
    await app.call('connections.delete', { params: { connectionID: other.id } });
    expect(await look()).toBe(0);
  });
});
