/** A counter of what transactions did, in every process that has a registry (src/platform/metrics/tallies.ts). */
export type Tally<Value extends string = string> = {
  name: string;
  help: string;
  label: string;
  /** A closed list: each begins at 0. */
  values: readonly Value[];
};

export type Tallied = { tally: Tally; value: string };

/** Called once a transaction is committed: one that is repeated counts once, one that is undone not at all. */
export type Count = (tallied: Tallied[]) => void;
