import { mergedCustom } from '../contacts/fields.ts';
import type { HistoryChanges } from '../history/history.entity.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { RecordRow } from './record-row.ts';
import { changesOf } from './record-tx.ts';
import type { ObjectType } from './types/definition.ts';
import { displayNameOf, type IndexedValue, indexedValues, searchTextOf } from './types/indexed-values.ts';
import { assertNoFaults, assertSize, type Checked, type Values } from './types/values.ts';

/** What is not given stays. A value that says nothing takes the field away; a null in `custom_fields` does so there. */
export type RecordGiven = {
  fields?: Values;
  custom_fields?: Values;
  metadata?: Values;
  enrichment?: { source: string };
};

/** All that is written of a record at its birth but for its event. */
export type NewRecord = Pick<RecordRow, 'id' | 'display_name' | 'fields' | 'custom_fields' | 'metadata'> & {
  search_text: string;
  rows: IndexedValue[];
  changes: HistoryChanges;
};

const nothing = { fields: {}, custom_fields: {}, metadata: {}, deleted_at: null };

/** Throws 422 for its values. */
export function newRecord(type: ObjectType, { custom_fields, metadata = {} }: RecordGiven, checked: Checked): NewRecord {
  assertNoFaults(checked.faults);
  const values = { fields: checked.values, custom_fields: mergedCustom({}, custom_fields ?? {}), metadata };
  assertSize(values.fields, values.custom_fields);
  const said = Object.entries(values).filter(([name, value]) => name === 'fields' || Object.keys(value).length > 0);
  return {
    id: uuidv7(),
    display_name: displayNameOf(type, values.fields),
    search_text: searchTextOf(type, values.fields),
    ...values,
    rows: indexedValues(type, values.fields),
    changes: changesOf(nothing, Object.fromEntries(said)),
  };
}

/** As a read of it would give it, without what sources gave. */
export const rowOfNew = (
  { id, display_name, fields, custom_fields, metadata }: NewRecord,
  times: Pick<RecordRow, 'created_at' | 'updated_at'>,
): RecordRow => ({
  id,
  display_name,
  fields,
  custom_fields,
  metadata,
  revision: 1,
  deleted_at: null,
  created_at: times.created_at,
  updated_at: times.updated_at,
  enrichments: null,
});
