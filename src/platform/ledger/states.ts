import type { JobState } from './jobs.entity.ts';

/** No partial index fits this text: a plan made while few rows have the state would read all of them (3,000 for each end). */
export const stateIs = (column: string, ...states: JobState[]) =>
  `coalesce(${column}, '') in (${states.map((state) => `'${state}'`).join(', ')})`;
