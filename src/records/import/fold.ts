import { isDeepStrictEqual } from 'node:util';
import { mergedCustom } from '../../contacts/fields.ts';
import type { Applied } from '../../imports/batch.ts';
import type { ImportRequest } from '../../imports/import.entity.ts';
import { AppError } from '../../platform/errors.ts';
import type { BadRow, Counts, RowError } from '../../platform/imports/progress.ts';
import { slices } from '../../platform/load/slices.ts';
import type { ObjectType } from '../types/definition.ts';
import { assertSize, completed, mergedValues } from '../types/values.ts';
import type { Content, Held } from './held.ts';
import { Links } from './links.ts';
import { keyValueOf, type Seen, uniqueValuesOf } from './look.ts';
import { type Entry, isBad, type ReadRecord } from './row.ts';
import { newState, type State, stateOf } from './state.ts';

export type Folded = Applied & { states: State[]; links: Links };

type Given = {
  type: ObjectType;
  request: ImportRequest;
  seen: Seen;
  held: Held;
  /** Ids of members by what names them. */
  members: Map<string, string>;
};

/** The row is read in the next batch, when what it depends on is written. */
const later = Symbol('later');
type Became = 'created' | 'updated' | 'unchanged' | RowError[] | typeof later;

/** Each row in its turn, as if the rows were written one by one; each record is written once. */
export async function foldRows(given: Given, entries: Entry[]): Promise<Folded> {
  const fold = new Fold(given);
  const counts: Counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  const failures: BadRow[] = [];
  const turnOfOthers = slices();
  let taken = 0;
  for (; taken < given.seen.taken; taken += 1) {
    await turnOfOthers();
    const entry = entries[taken]!;
    const became = isBad(entry) ? entry.errors : fold.row(entry);
    if (became === later) break;
    if (Array.isArray(became)) failures.push({ line: entry.line, errors: became });
    else counts[became] += 1;
  }
  counts.failed = failures.length;
  return { taken, counts, failures, states: [...fold.states.values()], links: fold.links };
}

class Fold {
  readonly states: Map<string, State>;
  readonly links: Links;
  readonly #given: Given;
  /** Fields that a row gave another value, as `<record> <name>`: the index does not tell whose their old value is. */
  readonly #left = new Set<string>();

  constructor(given: Given) {
    this.#given = given;
    this.states = new Map([...given.held.records].map(([id, record]) => [id, stateOf(record)]));
    this.links = new Links(given.held, given.seen.looked, this.states, given.type.relations);
  }

  row(row: ReadRecord): Became {
    const target = this.#targetOf(row);
    if (target === later || Array.isArray(target)) return target;
    const after = this.#after(target, row);
    if (Array.isArray(after)) return after;
    const unique = this.#uniqueFault(target, row);
    if (unique) return unique;
    const fault = this.links.faultOf(target, row.links);
    if (fault) return [fault];
    return this.#take(target, row, after);
  }

  #ownState(id: string | undefined): State | undefined {
    const state = id === undefined ? undefined : this.states.get(id);
    return state?.kind === this.#given.type.kind ? state : undefined;
  }

  /** The record that the row is about; undefined: a new one. */
  #targetOf(row: ReadRecord): State | undefined | RowError[] | typeof later {
    const { type, request, seen } = this.#given;
    const { uniques } = seen.looked;
    const id = request.mode === 'upsert' ? row.id : undefined;
    const byId = this.#ownState(id);
    if (id !== undefined && !byId) return [{ column: 'id', code: 'not_found', message: 'No record has this id' }];
    if (request.key === null || request.key === 'id') return byId;
    const key = keyValueOf(type, request, row);
    if (!key)
      return byId ?? [{ column: request.key, code: 'any.required', message: `${request.key} is empty: it names the record` }];
    const byKey = this.#ownState(uniques.owners.get(uniques.keyOf(key)));
    if (byKey && this.#left.has(`${byKey.id} ${request.key}`)) return later;
    if (byKey && request.mode === 'create') return [this.#taken(request.key)];
    if (byId && byKey && byId !== byKey)
      return [{ column: request.key, code: 'conflict', message: `id and ${request.key} name different records` }];
    return byId ?? byKey;
  }

  #taken(name: string): RowError {
    return { column: name, code: 'unique', message: `Another ${this.#given.type.label} has this ${name}` };
  }

  #uniqueFault(target: State | undefined, row: ReadRecord): RowError[] | typeof later | undefined {
    const { type, seen } = this.#given;
    const { owners, keyOf } = seen.looked.uniques;
    for (const { name, value } of uniqueValuesOf(type, row)) {
      const owner = owners.get(keyOf(value));
      if (owner === undefined) continue;
      if (this.#left.has(`${owner} ${name}`)) return later;
      if (owner !== target?.id) return [this.#taken(name)];
    }
    return undefined;
  }

  #after(target: State | undefined, { checked, members, custom, metadata }: ReadRecord): Content | RowError[] {
    const { type } = this.#given;
    const before = target?.after ?? { fields: {}, custom_fields: {}, metadata: {} };
    const values = { ...checked.values };
    for (const name of members) {
      // Who has left since is no change.
      if (before.fields[name] === values[name]) continue;
      const id = this.#given.members.get(String(values[name]));
      if (id === undefined) return [{ column: name, code: 'any.only', message: `${name} must be a member of the organization` }];
      values[name] = id;
    }
    const whole = { ...checked, values };
    const added = target ? whole : completed(type, whole);
    if (added.faults.length > 0) return added.faults.map(({ path, code, message }) => ({ column: path, code, message }));
    try {
      const after = {
        fields: mergedValues(before.fields, added),
        custom_fields: custom ? mergedCustom(before.custom_fields, custom) : before.custom_fields,
        metadata: metadata ?? before.metadata,
      };
      assertSize(after.fields, after.custom_fields);
      return after;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const [detail] = error.details ?? [];
      return [{ column: detail?.field ?? '', code: detail?.code ?? error.code, message: error.message }];
    }
  }

  #take(target: State | undefined, row: ReadRecord, after: Content): Became {
    const { type, seen } = this.#given;
    const { owners, keyOf } = seen.looked.uniques;
    const state = target ?? newState(type.kind);
    if (!target) this.states.set(state.id, state);
    const isSame = isDeepStrictEqual(state.after, after);
    if (!isSame) state.after = after;
    for (const { name, value } of uniqueValuesOf(type, row)) {
      if (target && owners.get(keyOf(value)) !== state.id) this.#left.add(`${state.id} ${name}`);
      owners.set(keyOf(value), state.id);
    }
    for (const name of Object.keys(row.checked.values)) state.named.add(name);
    for (const key of Object.keys(row.custom ?? {})) state.named.add(`custom_fields.${key}`);
    const isLinked = this.links.make(state, row.links);
    return target ? (isSame && !isLinked ? 'unchanged' : 'updated') : 'created';
  }
}
