import { Migration } from '@mikro-orm/migrations';

/** `stalls` was BullMQ's count at the last attempt that ended; now it counts what began under suspicion since then. */
export class StallsAtWork extends Migration {
  override name = '20261201000000-stalls-at-work';

  override up() {
    this.addSql(forgotten);
  }

  override down() {
    this.addSql(forgotten);
  }
}

const forgotten = `
  update jobs
     set stalls = 0
   where stalls > 0`;
