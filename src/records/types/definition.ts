import type { Cardinality, DeleteRule, FieldType, IndexState, Option } from './type.entity.ts';

/** No write gives it to a record any more, and an operation takes it out of those that have it. */
export const isLeaving = ({ replaced_by: by }: Option) => by !== undefined;

export type Field = {
  id: string;
  name: string;
  label: string;
  type: FieldType;
  isRequired: boolean;
  isUnique: boolean;
  isIndexed: boolean;
  isSearchable: boolean;
  /** Null: none. */
  defaultValue: unknown;
  min: number | null;
  max: number | null;
  maxLength: number | null;
  options: Option[];
  position: number;
  /** Building: writers write its index rows, lists do not read them. Null: it has no index. */
  indexState: IndexState | null;
};

/** As one end sees it. */
export type Relation = {
  id: string;
  name: string;
  /** The other end's name for it. */
  inverseName: string;
  /** Of the objects at the other end. */
  kind: string;
  /** True at the end that the relation was defined to; the record of a link is then the other end. */
  isInverse: boolean;
  /** From the record of a link to its object, whichever end looks. */
  cardinality: Cardinality;
  /** This end's object has one at most. */
  isSingle: boolean;
  onDelete: DeleteRule;
};

export type ObjectType = {
  id: string;
  kind: string;
  label: string;
  pluralLabel: string;
  description: string;
  displayField: string;
  isStandard: boolean;
  version: number;
  fields: Field[];
  relations: Relation[];
  /** Null: `company` before it is stored. */
  createdAt: string | null;
  updatedAt: string | null;
};
