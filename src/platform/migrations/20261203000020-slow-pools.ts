import { Migration } from '@mikro-orm/migrations';
import { fillPoolWith, isSeqScanOff, nameOfFill } from './20261130000000-classes.ts';
import { bulkPlaces } from './20261202000050-later-in-pools.ts';

/**
 * A run that comes too early takes the end of the plan, a whole gap later. A plan a tenth closer than the claims made each second run of a channel of 4 a
 * second come 24 ms early, and it sent half of its rate. Below 50 a second the plan is as close as the claims, and one that has run out goes on at the
 * next claim's time, unless that comes from another clock (docs/decisions/0012-pace-and-shares.md).
 */
const closer = 'case when rate < 50 then 0.95 else 1.045 end';
const nextClaim = `case when tat <= clock_timestamp() + interval '1 s' / (rate * 0.95) + interval '1 s' then tat end`;

export class SlowPools extends Migration {
  override name = '20261203000020-slow-pools';

  override up() {
    this.addSql(fillPoolWith(bulkPlaces, closer, nextClaim));
    this.addSql(isSeqScanOff(nameOfFill));
  }

  override down() {
    this.addSql(fillPoolWith(bulkPlaces));
    this.addSql(isSeqScanOff(nameOfFill));
  }
}
