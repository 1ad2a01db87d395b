import { isDeepStrictEqual } from 'node:util';
import { mergedCustom } from '../../contacts/fields.ts';
import type { Applied } from '../../imports/batch.ts';
import type { ImportRequest } from '../../imports/import.entity.ts';
import { minorOf } from '../../money/amounts.ts';
import { amountNeeded } from '../../money/change-currency.ts';
import { AppError } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { BadRow, Counts, RowError } from '../../platform/imports/progress.ts';
import { slices } from '../../platform/load/slices.ts';
import { nowDate } from '../../platform/time/clock.ts';
import { iso } from '../../platform/time/moment.ts';
import type { DealStatus } from '../deal.entity.ts';
import type { DealRow, LinkedContact } from '../deal-row.ts';
import { maxContactsOfDeal } from '../links/contacts.ts';
import { type Around, keyOf, type Seen, type StageSeen } from './look.ts';
import { type Entry, isBad, type ReadDeal } from './row.ts';
import { stageOfRow } from './stage-of-row.ts';

/** A deal while its rows are read: several rows may be about it. */
export type State = {
  /** As it is stored; undefined: it is new. */
  stored: DealRow | undefined;
  row: DealRow;
  added: LinkedContact[];
  /** To the end of another stage. */
  isMoved: boolean;
  /** Its amount was written, or it was closed: it is frozen at home anew. */
  isFrozenAnew: boolean;
};

export type Folded = Applied & { states: State[] };
type Became = 'created' | 'updated' | 'unchanged' | RowError[];

/** Each row in its turn, as if the rows were written one by one; each deal is written once. */
export async function foldRows(request: ImportRequest, around: Around, seen: Seen, entries: Entry[]): Promise<Folded> {
  const fold = new Fold(request, around);
  const counts: Counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  const failures: BadRow[] = [];
  const turnOfOthers = slices();
  for (const entry of entries.slice(0, seen.taken)) {
    await turnOfOthers();
    const became = isBad(entry) ? entry.errors : fold.row(entry);
    if (Array.isArray(became)) failures.push({ line: entry.line, errors: became });
    else counts[became] += 1;
  }
  counts.failed = failures.length;
  return { taken: seen.taken, counts, failures, states: [...fold.states.values()] };
}

const refused = (column: string, code: string, message: string): RowError[] => [{ column, code, message }];

class Fold {
  readonly states = new Map<string, State>();
  readonly #request: ImportRequest;
  readonly #around: Around;
  /** Deals that rows of this batch have made, by the value that names them. */
  readonly #made = new Map<string, string>();
  readonly #at = nowDate().toISOString();

  constructor(request: ImportRequest, around: Around) {
    this.#request = request;
    this.#around = around;
  }

  row(given: ReadDeal): Became {
    const target = this.#targetOf(given);
    if (Array.isArray(target)) return target;
    const before = target ?? this.#newState();
    const after: State = { ...before, row: { ...before.row }, added: [...before.added] };
    const errors = this.#change(after, given);
    if (errors) return errors;
    const key = keyOf(this.#request, given);
    if (!target && key !== undefined) this.#made.set(key, after.row.id);
    const isSame = target && isDeepStrictEqual(before.row, after.row) && before.added.length === after.added.length;
    if (isSame) return 'unchanged';
    this.states.set(after.row.id, after);
    return target ? 'updated' : 'created';
  }

  #stateOf(id: string): State | undefined {
    const stored = this.#around.deals.get(id);
    return this.states.get(id) ?? (stored && { stored, row: stored, added: [], isMoved: false, isFrozenAnew: false });
  }

  #targetOf(given: ReadDeal): State | undefined | RowError[] {
    const { mode, key } = this.#request;
    const id = mode === 'upsert' ? given.id : undefined;
    const byId = id === undefined ? undefined : this.#stateOf(id);
    if (id !== undefined && !byId) return refused('id', 'not_found', 'No deal has this id');
    if (key === null || key === 'id') return byId;
    const value = keyOf(this.#request, given);
    if (value === undefined) return byId ?? refused(key, 'any.required', `${key} is empty, or no plain value: it names the deal`);
    const made = this.#made.get(value);
    const found = made === undefined ? (this.#around.byKey.get(value) ?? []) : [made];
    if (found.length > 1) return refused(key, 'conflict', `Several deals have this ${key}`);
    const byKey = found[0] === undefined ? undefined : this.#stateOf(found[0]);
    if (byKey && mode === 'create') return refused(key, 'unique', `Another deal has this ${key}`);
    if (byId && byKey && byId.row.id !== byKey.row.id) return refused(key, 'conflict', `id and ${key} name different deals`);
    return byId ?? byKey;
  }

  #newState(): State {
    const row: DealRow = {
      id: uuidv7(),
      title: '',
      status: 'open',
      amount_minor: '0',
      currency_code: this.#around.home,
      home_currency_at_write: this.#around.home,
      amount_in_home_currency: null,
      expected_close_at: null,
      owner_user_id: null,
      source_conversation_id: null,
      pipeline_id: null,
      stage_id: null,
      stage_entered_at: null,
      position: '',
      closed_at: null,
      lost_reason: '',
      custom_fields: {},
      metadata: {},
      revision: 0,
      created_at: this.#at,
      updated_at: this.#at,
      probability: null,
      contacts: [],
    };
    return { stored: undefined, row, added: [], isMoved: false, isFrozenAnew: true };
  }

  /** The errors that keep the row from it. */
  #change(state: State, given: ReadDeal): RowError[] | undefined {
    const { values } = given;
    const { row } = state;
    const isNew = row.revision === 0 && !this.states.has(row.id);
    if (isNew && values.title === undefined) return refused('title', 'any.required', 'title is required');
    if (values.title !== undefined) row.title = values.title;
    if (given.metadata) row.metadata = given.metadata;
    this.#takeDate(row, values);
    return (
      this.#takeCustom(row, given) ??
      this.#takeOwner(row, values) ??
      this.#takeAmount(state, values) ??
      this.#takeStage(state, values, isNew) ??
      this.#takeContacts(state, given)
    );
  }

  #takeCustom(row: DealRow, { custom }: ReadDeal): RowError[] | undefined {
    if (!custom) return undefined;
    try {
      row.custom_fields = mergedCustom(row.custom_fields, custom);
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return refused('custom_fields', error.details?.[0]?.code ?? error.code, error.message);
    }
  }

  #takeOwner(row: DealRow, { owner }: ReadDeal['values']): RowError[] | undefined {
    if (owner === undefined) return undefined;
    const id = this.#around.members.get(owner);
    if (id === undefined) return refused('owner', 'reference.unknown', 'owner must be a member of the organization');
    row.owner_user_id = id;
    return undefined;
  }

  #takeDate(row: DealRow, { expected_close_at: given }: ReadDeal['values']): void {
    if (given && (row.expected_close_at === null || iso(row.expected_close_at) !== iso(given))) row.expected_close_at = given;
  }

  #takeAmount(state: State, values: ReadDeal['values']): RowError[] | undefined {
    const { row } = state;
    const currency = values.currency_code ?? row.currency_code;
    const decimal = values.amount === undefined ? undefined : minorOf(values.amount, currency);
    if (values.amount !== undefined && decimal === undefined)
      return refused('amount', 'amount.digits', `amount has more digits than ${currency} has, or is too large`);
    const named = decimal ?? values.amount_minor;
    const amount = named ?? String(row.amount_minor);
    if (named === undefined && currency !== row.currency_code && amount !== '0')
      return refused('amount_minor', 'amount.required', amountNeeded);
    if (amount === String(row.amount_minor) && currency === row.currency_code) return undefined;
    row.amount_minor = amount;
    row.currency_code = currency;
    state.isFrozenAnew = true;
    return undefined;
  }

  #takeStage(state: State, values: ReadDeal['values'], isNew: boolean): RowError[] | undefined {
    const { row } = state;
    const stage = stageOfRow(this.#around.stages, values, isNew ? undefined : row);
    if (stage && 'column' in stage) return [stage];
    const status = stage?.kind ?? (row.stage_id === null ? (values.status as DealStatus | undefined) : undefined) ?? row.status;
    const reason = values.lost_reason ?? (status === 'lost' ? row.lost_reason : '');
    if (reason !== '' && status !== 'lost') return refused('lost_reason', 'lost_reason.status', 'Only a lost deal has a reason');
    const isClosed = status !== row.status || (isNew && status !== 'open');
    if (status === 'lost' && isClosed && stage?.needs_lost_reason && reason === '')
      return refused('lost_reason', 'any.required', 'The pipeline wants a reason for a lost deal');
    if (stage && stage.id !== row.stage_id) this.#enter(state, stage);
    if (isClosed) {
      row.status = status;
      row.closed_at = status === 'open' ? null : this.#at;
      if (status !== 'open') state.isFrozenAnew = true;
    }
    row.lost_reason = reason;
    return undefined;
  }

  #enter(state: State, { id, pipeline_id, probability }: StageSeen) {
    Object.assign(state.row, { stage_id: id, pipeline_id, probability, stage_entered_at: this.#at });
    state.isMoved = true;
  }

  #takeContacts({ row, added }: State, { contacts }: ReadDeal): RowError[] | undefined {
    for (const named of contacts) {
      const id = this.#around.contactOf(named);
      if (id === undefined) return refused(named.column, 'reference.unknown', `${named.column} names what is not there`);
      if (row.contacts.some(({ contact_id }) => contact_id === id)) continue;
      const contact = { contact_id: id, role: '', is_primary: row.contacts.length === 0 };
      row.contacts = [...row.contacts, contact];
      added.push(contact);
    }
    if (row.contacts.length > maxContactsOfDeal)
      return refused('', 'limit_reached', `A deal has at most ${maxContactsOfDeal} contacts`);
    return undefined;
  }
}
