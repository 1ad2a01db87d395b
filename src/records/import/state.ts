import type { HistoryChanges, linksChange } from '../../history/history.entity.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { changesOf } from '../record-tx.ts';
import type { Content, StoredRecord } from './held.ts';

/** A record while its rows are read: several rows may be about it. */
export type State = {
  id: string;
  kind: string;
  isNew: boolean;
  /** 0: it is new. */
  revision: number;
  before: Content;
  after: Content;
  links: [name: string, change: ReturnType<typeof linksChange>][];
  /** What rows gave it, whether it was a change or not. */
  named: Set<string>;
};

const nothing: Content = { fields: {}, custom_fields: {}, metadata: {} };

export const stateOf = ({ id, kind, revision, fields, custom_fields, metadata }: StoredRecord): State => {
  const content = { fields, custom_fields, metadata };
  return { id, kind, isNew: false, revision, before: content, after: content, links: [], named: new Set() };
};

export const newState = (kind: string): State => ({
  id: uuidv7(),
  kind,
  isNew: true,
  revision: 0,
  before: nothing,
  after: nothing,
  links: [],
  named: new Set(),
});

const isEmpty = (value: object) => Object.keys(value).length === 0;

const contentChanges = ({ isNew, before, after }: State): HistoryChanges => {
  if (before === after) return {};
  const { fields, custom_fields, metadata } = after;
  if (!isNew) return changesOf({ ...before, deleted_at: null }, after);
  return changesOf(
    { ...before, deleted_at: null },
    { fields, ...(!isEmpty(custom_fields) && { custom_fields }), ...(!isEmpty(metadata) && { metadata }) },
  );
};

/** Its rows of history, one a revision: links of one relation take one each. None: nothing changed. */
export function historyOf(state: State): HistoryChanges[] {
  const first = contentChanges(state);
  const entries = state.isNew || !isEmpty(first) ? [first] : [];
  for (const [name, change] of state.links) {
    const last = entries.at(-1);
    if (last && !Object.hasOwn(last, name)) last[name] = change;
    else entries.push({ [name]: change });
  }
  return entries;
}
