import type { House } from './house.ts';

export type Ref = { id: string; run: number; name: string; stalls: number };
type AtWork<How> = { ref: Ref; pool: string; end(how: How): void; ended: Promise<unknown> };
/** Runs a ref; where its work is done it asks how that ends, and says of which pool it is. */
type Work<How> = (ref: Ref, gate: (pool: string) => Promise<How>) => Promise<{ kind: string; isMoved?: boolean }>;

/** A queue and its workers, over a house without one: runs wait, are at work until the test ends them, or die with their worker. */
export class Workers<How> {
  private readonly house: House;
  private readonly work: Work<How>;
  private readonly waiting: Ref[] = [];
  private readonly atWork: AtWork<How>[] = [];
  private readonly lost = new Set<string>();
  /** The most different jobs of a pool that were at work at any moment. */
  readonly most = new Map<string, number>();

  constructor(house: House, work: Work<How>) {
    this.house = house;
    this.work = work;
    const isLost = (id: string, run: number) => this.lost.delete(`${id}:${run}`);
    // What the sweep finds missing it adds once more.
    Object.assign(house.queues, {
      states: async (rows: { id: string; run: number }[]) => rows.map(({ id, run }) => (isLost(id, run) ? 'unknown' : 'waiting')),
    });
  }

  get busy() {
    return new Set(this.atWork.map(({ ref }) => ref.id)).size;
  }

  private collect() {
    this.waiting.push(...this.house.dispatched.splice(0).map(({ id, run, name }) => ({ id, run, name, stalls: 0 })));
  }

  async begin(count: number, place: number) {
    this.collect();
    const refs = Array.from({ length: Math.min(count, this.waiting.length) }, () => {
      const [ref] = this.waiting.splice(place % this.waiting.length, 1);
      return ref!;
    });
    await Promise.all(refs.map((ref) => this.start(ref)));
  }

  private start(ref: Ref): Promise<void> {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<How>();
    const ended = this.work(ref, (pool) => {
      this.atWork.push({ ref, pool, end: gate.resolve, ended });
      const ofPool = new Set(this.atWork.filter((one) => one.pool === pool).map((one) => one.ref.id));
      this.most.set(pool, Math.max(this.most.get(pool) ?? 0, ofPool.size));
      begin();
      return gate.promise;
    }).then(({ kind, isMoved }) => {
      // BullMQ gives the same run out again, later.
      if ((kind === 'again' || kind === 'wait' || kind === 'early') && !isMoved) this.waiting.push(ref);
      begin();
    });
    return begun;
  }

  async end(count: number, place: number, how: How) {
    const some = Array.from({ length: Math.min(count, this.atWork.length) }, () => this.take(place));
    for (const { end } of some) end(how);
    await Promise.all(some.map(({ ended }) => ended));
  }

  /** SIGKILL: it writes nothing any more, and BullMQ takes its run for stalled. */
  crash(count: number, place: number) {
    for (let left = Math.min(count, this.atWork.length); left > 0; left -= 1) this.takeOver(this.take(place).ref);
  }

  /** BullMQ takes a run for stalled whose worker was only slow: both go on with it. */
  stall(place: number) {
    const one = this.atWork[place % this.atWork.length];
    if (one) this.takeOver(one.ref);
  }

  private takeOver(ref: Ref) {
    this.waiting.push({ ...ref, stalls: ref.stalls + 1 });
  }

  /** The queue forgets runs that nobody has begun. */
  lose(count: number, place: number) {
    this.collect();
    for (let left = Math.min(count, this.waiting.length); left > 0; left -= 1) {
      const [{ id, run }] = this.waiting.splice(place % this.waiting.length, 1) as [Ref];
      this.lost.add(`${id}:${run}`);
    }
  }

  private take(place: number): AtWork<How> {
    return this.atWork.splice(place % this.atWork.length, 1)[0]!;
  }
}
