/**
 * Gets the place of each parameter in the whole statement, such as $4. Statements are composed once and kept by their parts' texts: a text
 * is made once for each form, not in each write.
 */
export type PartText = (...places: string[]) => string;

/**
 * A part may read from `ended`, the row that ends. `gives`: the name of its set with one row, read by `given` once the ledger is written;
 * without that row no job and no event is written.
 */
export type Part = {
  text: PartText;
  params: unknown[];
  /** It writes only where `ended` has its row: without the end it is nothing, so one round trip is enough for both. */
  onlyWithEnd?: boolean;
  gives?: string;
  /** A set of this part with rows of `jobs` for the queue (`dispatchedColumns`). */
  dispatched?: string;
  /** A condition over the sets of this part and its parameters. Where it is false nothing is written: LocksOutdated. */
  assertion?: PartText;
  /** What its failure says, where it is not LocksOutdated (write.ts). */
  code?: string;
};
