import { statement } from '../../platform/database/statement.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Field } from './definition.ts';
import { ObjectField } from './type.entity.ts';

const rowOf = (field: Field) => ({
  name: field.name,
  label: field.label,
  type: field.type,
  is_required: field.isRequired,
  is_unique: field.isUnique,
  is_indexed: field.isIndexed,
  is_searchable: field.isSearchable,
  default_value: field.defaultValue,
  minimum: field.min,
  maximum: field.max,
  max_length: field.maxLength,
  options: field.options,
  position: field.position,
  index_state: field.indexState,
});

export const storeField = (tx: OwnTx, typeId: string, field: Field): Promise<void> =>
  tx.insert(ObjectField, {
    ...rowOf(field),
    id: field.id,
    type_id: typeId,
    removed_at: null,
    walked_to: null,
    replaced_to: null,
  });

export const changeField = (tx: OwnTx, field: Field, more: { walked_to?: null; replaced_to?: null } = {}) =>
  tx.update(ObjectField, { id: field.id }, { ...rowOf(field), ...more });

export const fieldById = statement((select, { id }: { id: string }) => select(ObjectField).selectAll().where('id', '=', id));
