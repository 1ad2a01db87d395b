import { uuidv7 } from '../../../src/platform/ids.ts';
import type { TenantTransact } from '../../../src/platform/ledger/tenant.ts';
import { CrmRecord } from '../../../src/records/record.entity.ts';
import { displayNameOf, searchTextOf, writeIndexed } from '../../../src/records/types/indexed-values.ts';
import { typeForWrite } from '../../../src/records/types/object-type.ts';
import { assertNoFaults, readValues, type Values } from '../../../src/records/types/values.ts';

/** Writes records as the product does: checked, with their index rows. */
export const records = (transact: TenantTransact, kind: string, given: Values[]): Promise<{ id: string; fields: Values }[]> =>
  transact({}, async ({ own }) => {
    const type = await typeForWrite(own, kind);
    const made: { id: string; fields: Values }[] = [];
    for (const one of given) {
      const { values: fields, faults } = readValues(type, one, { isNew: true });
      assertNoFaults(faults);
      const id = uuidv7();
      const row = {
        id,
        type_id: type.id,
        fields,
        display_name: displayNameOf(type, fields),
        search_text: searchTextOf(type, fields),
      };
      await own.insert(CrmRecord, row);
      await writeIndexed(own, type, id, undefined, fields);
      made.push({ id, fields });
    }
    return made;
  });
