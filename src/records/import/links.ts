import { linksChange } from '../../history/history.entity.ts';
import type { RowError } from '../../platform/imports/progress.ts';
import type { HiddenLink } from '../hidden-links.ts';
import { endsOf, isSingle } from '../links.ts';
import type { Relation } from '../types/definition.ts';
import { isBuiltIn } from '../types/names.ts';
import type { Held } from './held.ts';
import type { Looked } from './look.ts';
import type { GivenLink } from './row.ts';
import type { State } from './state.ts';

export type NewLink = { relation: Relation; from: string; to: string };
export type DroppedLink = { relation: Relation; link: HiddenLink };

type Known = { id: string | null; from: string; to: string; isLive: boolean };

/** The links of a batch: those that are there, and those its rows make. */
export class Links {
  readonly made: NewLink[] = [];
  readonly dropped: DroppedLink[] = [];
  readonly #held: Held;
  readonly #looked: Looked;
  readonly #states: Map<string, State>;
  readonly #pairs = new Map<string, Known>();
  readonly #singles = new Map<string, Known>();

  constructor(held: Held, looked: Looked, states: Map<string, State>, relations: Relation[]) {
    this.#held = held;
    this.#looked = looked;
    this.#states = states;
    const byId = new Map(relations.map((relation) => [relation.id, relation]));
    for (const { relation_id, ...link } of held.links) this.#know(byId.get(relation_id)!, link);
  }

  #know(relation: Relation, link: Known) {
    const { isSingleFrom, isSingleTo } = isSingle(relation);
    this.#pairs.set(`${relation.id} ${link.from} ${link.to}`, link);
    if (isSingleFrom) this.#singles.set(`${relation.id} from ${link.from}`, link);
    if (isSingleTo) this.#singles.set(`${relation.id} to ${link.to}`, link);
  }

  #forget(relation: Relation, link: Known) {
    const { isSingleFrom, isSingleTo } = isSingle(relation);
    this.#pairs.delete(`${relation.id} ${link.from} ${link.to}`);
    if (isSingleFrom) this.#singles.delete(`${relation.id} from ${link.from}`);
    if (isSingleTo) this.#singles.delete(`${relation.id} to ${link.to}`);
  }

  #blockers(relation: Relation, from: string, to: string): Known[] {
    const found = [this.#singles.get(`${relation.id} from ${from}`), this.#singles.get(`${relation.id} to ${to}`)];
    return [...new Set(found.filter((link) => link !== undefined))];
  }

  #isThere({ kind }: Relation, id: string): boolean {
    if (isBuiltIn(kind)) return this.#held.objects.has(`${kind} ${id}`);
    return this.#states.get(id)?.kind === kind;
  }

  /** What keeps the row's links from being made. */
  faultOf(state: State | undefined, given: GivenLink[]): RowError | undefined {
    const singles = new Set<string>();
    for (const { column, relation, named } of given) {
      const otherId = this.#looked.otherOf(named);
      if (otherId === undefined || !this.#isThere(relation, otherId))
        return { column, code: 'reference.unknown', message: `${column} names what is not there` };
      // A new record has no id yet: nothing is linked to it.
      const { from, to } = endsOf(state?.id ?? '', { relation, otherId });
      if (this.#pairs.has(`${relation.id} ${from} ${to}`)) continue;
      const isTaken = this.#blockers(relation, from, to).some(({ isLive }) => isLive);
      const isSecond = relation.isSingle && singles.size === singles.add(relation.id).size;
      if (isTaken || isSecond) return { column, code: 'relation.taken', message: `The relation ${relation.name} leaves no room` };
    }
    return undefined;
  }

  /** Returns whether any is new. Without a fault only. */
  make(state: State, given: GivenLink[]): boolean {
    let isChanged = false;
    for (const { relation, named } of given) {
      const otherId = this.#looked.otherOf(named)!;
      const { from, to } = endsOf(state.id, { relation, otherId });
      if (this.#pairs.has(`${relation.id} ${from} ${to}`)) continue;
      isChanged = true;
      const left = { here: null as string | null, there: null as string | null };
      for (const hidden of this.#blockers(relation, from, to)) {
        const keeps = hidden.from === from ? 'from' : 'to';
        const other = keeps === 'from' ? hidden.to : hidden.from;
        left[(keeps === 'from') !== relation.isInverse ? 'here' : 'there'] = other;
        this.dropped.push({ relation, link: { id: hidden.id!, from: hidden.from, to: hidden.to, keeps } });
        this.#forget(relation, hidden);
      }
      this.made.push({ relation, from, to });
      this.#know(relation, { id: null, from, to, isLive: true });
      state.links.push([relation.name, linksChange(left.here, otherId)]);
      if (!isBuiltIn(relation.kind))
        this.#states.get(otherId)!.links.push([relation.inverseName, linksChange(left.there, state.id)]);
    }
    return isChanged;
  }
}
