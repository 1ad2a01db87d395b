import { mergedCustom } from '../contacts/fields.ts';
import type { RecordGiven } from './new-record.ts';
import type { RecordRow } from './record-row.ts';
import type { RecordValues } from './record-tx.ts';
import { assertNoFaults, assertSize, type Checked, faultsAfter, mergedValues } from './types/values.ts';

/** The values after a patch, of what it gives. `checked`: of its fields. Throws 422. */
export function patchedValues(
  record: RecordRow,
  { custom_fields, metadata }: RecordGiven,
  checked: Checked | undefined,
): Partial<RecordValues> {
  const values: Partial<RecordValues> = {};
  if (checked) {
    assertNoFaults(faultsAfter(record.fields, checked));
    values.fields = mergedValues(record.fields, checked);
  }
  if (custom_fields) values.custom_fields = mergedCustom(record.custom_fields, custom_fields);
  if (metadata) values.metadata = metadata;
  if (checked || custom_fields) assertSize(values.fields ?? record.fields, values.custom_fields ?? record.custom_fields);
  return values;
}
