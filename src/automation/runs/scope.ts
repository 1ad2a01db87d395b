import type { ContactRow } from '../../contacts/queries.ts';
import { parseAhead } from '../../liquid/parsed.ts';
import { renderValue } from '../../liquid/value.ts';
import type { Own } from '../../platform/database/own.ts';
import { timeShares } from '../../platform/load/shares.ts';
import type { Conditions } from '../conditions/conditions.ts';
import { type Clock, holds, rootsOf } from '../conditions/evaluate.ts';
import { type FactRefs, type Facts, loadFacts } from '../conditions/facts.ts';
import { marksIn } from '../secret-marks.ts';

/** Outputs of the steps before, by their ids. */
type Outputs = () => Promise<Record<string, unknown>>;

/** Behind the first Liquid there is. In two looks: one expression would read the rest of the text again from each `{{`. */
function namesOrganization(part: unknown): boolean {
  const text = JSON.stringify(part) ?? '';
  const opens = text.search(/\{[{%]/);
  return opens >= 0 && /\borganization\b/.test(text.slice(opens));
}

/** What texts and conditions of a run read: only what they name. */
export class RunScope {
  readonly clock: Clock;
  vars: Record<string, unknown>;
  private readonly own: Own;
  private readonly refs: FactRefs;
  private readonly outputs: Outputs;
  private readonly read = new Set<string>();
  private facts: Partial<Facts> = {};
  private steps: Record<string, unknown> | undefined;
  private readonly given: Partial<Facts>;
  private contact: ContactRow | undefined;

  /** `given`: facts of what did not happen, in place of those that are read. `contact`: of this moment. */
  constructor(
    own: Own,
    refs: FactRefs,
    outputs: Outputs,
    clock: Clock,
    given: Partial<Facts> = {},
    contact: ContactRow | undefined = undefined,
  ) {
    this.own = own;
    this.refs = refs;
    this.vars = refs.vars ?? {};
    this.outputs = outputs;
    this.clock = clock;
    this.given = given;
    this.contact = contact;
  }

  /** Reads what these parts name. One more name reads all of them again, so that they are of one moment. */
  async need(...parts: unknown[]): Promise<void> {
    await parseAhead(this.own.organizationId, parts);
    const roots = rootsOf(...parts);
    if (roots.delete('steps')) this.steps ??= await this.outputs();
    roots.delete('vars');
    if (parts.some(namesOrganization)) roots.add('organization');
    if ([...roots].every((root) => this.read.has(root))) return;
    for (const root of roots) this.read.add(root);
    const { contact } = this;
    this.contact = undefined;
    this.facts = await loadFacts(this.own, this.refs, this.read, contact);
  }

  /** It was read, and is there. */
  hasContact(id: string): boolean {
    return this.facts.contact?.id === id;
  }

  names(parts: unknown[]): string[] {
    return [...rootsOf(...parts)];
  }

  private async known(...parts: unknown[]): Promise<Facts> {
    await this.need(...parts);
    return { ...this.facts, ...this.given, vars: this.vars, steps: this.steps ?? {} } as Facts;
  }

  async render<Value>(value: Value): Promise<Value> {
    const facts = await this.known(value);
    const scope = { ...facts, secrets: marksIn(value) };
    return timeShares.count(this.own.organizationId, () => renderValue(value, scope, this.clock.timezone) as Value);
  }

  async holds(conditions: Conditions | null) {
    const facts = await this.known(conditions);
    return timeShares.count(this.own.organizationId, () => holds(conditions, facts, this.clock));
  }
}
