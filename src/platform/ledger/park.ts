/**
 * A row that is due later than this is parked: it is `queued`, and the head of its lane, but the queue gets it only shortly before. It is looked at
 * before it is due, where any other is looked at after it; this alone tells the two apart (docs/decisions/0022-parked-work.md).
 */
const parkedFrom = `interval '1 min'`;
const handedOverAhead = `interval '20 s'`;
/** SQL: of a row that is `queued`; the difference of two times, as an index may not depend on a time zone. */
export const isParked = `run_at - check_at > interval '10 s'`;
export const willPark = (delay: string) => `${delay} > ${parkedFrom}`;

/** SQL: `check_at` of a row that is due in `delay`, an interval. */
export const checkIn = (delay: string, slack: string) =>
  `clock_timestamp() + ${delay} + case when ${willPark(delay)} then -${handedOverAhead} else ${slack} end`;
