import type Joi from 'joi';
import type { Identity } from '../../contacts/identities/identity.ts';
import { identityNamed } from '../../contacts/identities/named.ts';
import { readCustomCell } from '../../platform/csv/custom-cell.ts';
import { restored } from '../../platform/csv/formulas.ts';
import { cellsFault } from '../../platform/csv/header.ts';
import { readListCell } from '../../platform/csv/list-cell.ts';
import type { CsvRecord } from '../../platform/csv/records.ts';
import { isUuid } from '../../platform/ids.ts';
import type { BadRow, RowError } from '../../platform/imports/progress.ts';
import { numberFault } from '../../platform/kept-numbers.ts';
import { faultIn } from '../../platform/storable.ts';
import { readCell } from '../csv/cells.ts';
import { recordGiven } from '../given.ts';
import type { Field, ObjectType, Relation } from '../types/definition.ts';
import { type IndexedValue, rowsOf } from '../types/indexed-values.ts';
import { isFault, readerOf } from '../types/value-readers.ts';
import { type Checked, maxRecordBytes, readValues, type Values } from '../types/values.ts';
import type { Column, Naming } from './header.ts';

/** The other end of a link, as the file names it. */
export type Named = { id: string } | { identity: Identity } | { unique: IndexedValue };
export type GivenLink = { column: string; relation: Relation; named: Named };

export type ReadRecord = {
  line: number;
  /** Of a record that is there. */
  id?: string;
  checked: Checked;
  /** Fields whose value is the id of a member or an email address. */
  members: string[];
  custom?: Values;
  metadata?: Values;
  links: GivenLink[];
};
export type Entry = ReadRecord | BadRow;
export const isBad = (entry: Entry): entry is BadRow => 'errors' in entry;

/** A row has up to 500 cells. */
const maxErrors = 20;
const maxLinksOfCell = 100;
const maxJsonCharacters = 2 * maxRecordBytes;

/** Joi puts the label into its messages: use the column, never the value. */
const check = (schema: Joi.Schema, column: string) => schema.label(column).prefs({ errors: { wrap: { label: false } } });
const wholeCustom = check(recordGiven.custom_fields, 'custom_fields');
const wholeMetadata = check(recordGiven.metadata, 'metadata');

/** Follows the rules of POST; an empty cell says nothing. */
export function rowReader(type: ObjectType, columns: Column[]): (record: CsvRecord) => Entry {
  return ({ cells, line }) => {
    const miscounted = cellsFault(cells, columns);
    if (miscounted) return { line, errors: [miscounted] };
    const row = new Row(type, line);
    for (const [index, column] of columns.entries()) {
      const cell = restored(cells[index]!);
      if (cell.trim() !== '') row.take(column, cell);
    }
    row.link(columns, cells);
    return row.read();
  };
}

class Row {
  readonly #type: ObjectType;
  readonly #line: number;
  readonly #errors: RowError[] = [];
  readonly #given: Values = {};
  readonly #members: string[] = [];
  readonly #links: GivenLink[] = [];
  #id: string | undefined;
  #custom: Values | undefined;
  #metadata: unknown;

  constructor(type: ObjectType, line: number) {
    this.#type = type;
    this.#line = line;
  }

  #refuse(column: string, code: string, message: string) {
    this.#errors.push({ column, code, message });
  }

  take(column: Column, cell: string) {
    if (column.kind === 'id') {
      this.#id = cell.trim().toLowerCase();
      if (!isUuid(this.#id)) this.#refuse('id', 'string.guid', 'id must be the id of a record');
    } else if (column.kind === 'field') this.#takeField(column.field, cell);
    else if (column.kind === 'custom') this.#takeCustom(column.name, { [column.key]: readCustomCell(cell) });
    else if (column.kind === 'custom-fields') this.#takeCustom(column.name, this.#object(column.name, cell));
    else if (column.kind === 'metadata') this.#metadata = this.#object(column.name, cell);
  }

  #takeField(field: Field, cell: string) {
    const read = readCell(field, cell);
    if ('message' in read) return this.#refuse(field.name, read.code, `${field.name} ${read.message}`);
    // An email address names a member too: whose it is, is looked up for the batch.
    if (field.type === 'user' && String(read.value).includes('@')) this.#members.push(field.name);
    this.#given[field.name] = read.value;
  }

  #object(column: string, cell: string): Values | undefined {
    try {
      const value: unknown = cell.length > maxJsonCharacters ? undefined : JSON.parse(cell);
      const lost = value === undefined ? undefined : numberFault(Buffer.from(cell));
      if (lost) this.#refuse(column, lost.code, `${column}.${lost.message}`);
      if (lost) return undefined;
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Values;
    } catch {
      // Told below.
    }
    this.#refuse(column, 'object.base', `${column} must be an object as JSON`);
    return undefined;
  }

  #takeCustom(column: string, given: Values | undefined) {
    const fault = given && faultIn(given);
    if (fault) this.#refuse(column, fault.code, fault.message);
    this.#custom = { ...this.#custom, ...given };
  }

  link(columns: Column[], cells: string[]) {
    const sourceOf = (relation: Relation) => {
      const at = columns.findIndex((one) => one.kind === 'source' && one.relation.id === relation.id);
      return at < 0 ? '' : restored(cells[at]!).trim();
    };
    for (const [index, column] of columns.entries()) {
      if (column.kind !== 'link') continue;
      const { name, relation, naming } = column;
      const names = readListCell(restored(cells[index]!));
      if (names.length > maxLinksOfCell) this.#refuse(name, 'array.max', `${name} must not name more than ${maxLinksOfCell}`);
      else
        for (const text of names) {
          const named = namedBy(naming, text, sourceOf(relation));
          if (named) this.#links.push({ column: name, relation, named });
          else this.#refuse(name, 'reference.invalid', `${name} has what is no ${what(naming)}`);
        }
    }
  }

  read(): Entry {
    const deferred = new Set(this.#members);
    const whole = Object.fromEntries(Object.entries(this.#given).filter(([name]) => !deferred.has(name)));
    const checked = readValues(this.#type, whole, { isNew: false });
    for (const { path, code, message } of checked.faults) this.#refuse(path.split(/[.[]/)[0]!, code, message);
    for (const name of this.#members) checked.values[name] = this.#given[name];
    const users = this.#type.fields.filter(({ type, name }) => type === 'user' && Object.hasOwn(checked.values, name));
    if (this.#custom) this.#validate('custom_fields', wholeCustom, this.#custom);
    if (this.#metadata !== undefined) this.#validate('metadata', wholeMetadata, this.#metadata);
    if (this.#errors.length > 0) return { line: this.#line, errors: this.#errors.slice(0, maxErrors) };
    return {
      line: this.#line,
      id: this.#id,
      checked,
      members: users.map(({ name }) => name),
      custom: this.#custom,
      metadata: this.#metadata as Values | undefined,
      links: this.#links,
    };
  }

  #validate(column: string, schema: Joi.Schema, value: unknown) {
    const { error } = schema.validate(value);
    if (error) this.#refuse(column, error.details[0]!.type, error.message);
  }
}

function namedBy(naming: Naming, text: string, source: string): Named | undefined {
  if (naming.by === 'id') return isUuid(text) ? { id: text.toLowerCase() } : undefined;
  if (naming.by === 'identity') {
    const identity = identityNamed(naming.name, text, source);
    return identity && { identity };
  }
  const cell = readCell(naming.field, text);
  const read = 'message' in cell ? cell : readerOf(naming.field)(cell.value);
  return 'message' in read || isFault(read) ? undefined : { unique: rowsOf(naming.field, read.value)[0]! };
}

const what = (naming: Naming) =>
  naming.by === 'id' ? 'id' : naming.by === 'value' ? `value of ${naming.field.name}` : naming.name.replace('_', ' ');
