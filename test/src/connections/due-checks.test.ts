import { describe, expect, test } from '@jest/globals';
import { askDueChecks } from '../../../src/connections/due-checks.ts';
import { useApp } from '../../support/app.ts';
import { connectCalendar } from '../../support/connections.ts';

const app = useApp();
const look = () => askDueChecks(app.web.deps.ledger.transact);
const due = (ids: string[]) => app.rows('update connections set next_check_at = clock_timestamp() where id = any($1)', [ids]);

describe('daily checks', () => {
  test('a new connection is looked at a day later; a due one once, over all workers', async () => {
    const { id } = await connectCalendar(app);
    expect(await look()).toBe(0);
    await due([id]);
    expect((await Promise.all([look(), look(), look()])).reduce((sum, found) => sum + found)).toBe(1);
    const { hours } = await app.one(
      'select (extract(epoch from next_check_at - clock_timestamp()) / 3600)::float8 as hours from connections where id = $1',
      [id],
    );
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
