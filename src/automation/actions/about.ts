import { type ContactTx, findContactTx } from '../../contacts/contact-tx.ts';
import { presentContact } from '../../contacts/queries.ts';
import { invalidField } from '../../platform/errors.ts';
import { LocksOutdated } from '../../platform/ledger/locks.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { SubjectType } from '../definition/definition.ts';
import type { StepContext } from './action.ts';

/* What a step is about: the object that it names, else the run's. */

type Kind = Extract<SubjectType, 'conversation' | 'deal' | 'task' | 'record'>;

const isAboutNone = (kind: string) => invalidField(`${kind}_id`, `The run is about no ${kind}: name it in ${kind}_id`);

/** One that was merged is followed. Throws 404 for one that was erased. */
export async function contactOf(context: StepContext, named?: string): Promise<string> {
  const id = named ?? contactOfRun(context.run);
  if (!id) throw isAboutNone('contact');
  return present(context, id);
}

const present = (context: StepContext, id: string) => context.present?.(id) ?? presentContact(context.own, id);

const contactOfRun = ({ contact_id, subject_type, subject_id }: StepContext['run']) =>
  contact_id ?? (subject_type === 'contact' ? subject_id : null);

/** Under its lock. Merged or erased since the look, it is looked at again. */
export async function contactAt(tx: OwnTx, id: string): Promise<ContactTx> {
  const found = await findContactTx(tx, id);
  if (!found) throw new LocksOutdated();
  return found;
}

/** The run's contact as it stands, for a step that can do without one. */
export async function anyContactOf(context: StepContext): Promise<string | undefined> {
  const id = contactOfRun(context.run);
  return id ? present(context, id) : undefined;
}

export function idOf({ run }: StepContext, kind: Kind, named?: string): string {
  const own = kind === 'conversation' ? run.conversation_id : null;
  const id = named ?? (run.subject_type === kind ? run.subject_id : own);
  if (!id) throw isAboutNone(kind);
  return id;
}

const scopeOf = {
  contact: 'contacts:write',
  conversation: 'conversations:write',
  deal: 'crm:write',
  task: 'crm:write',
  record: 'crm:write',
} as const;
export type On = keyof typeof scopeOf;

/** Of an action whose `on` says what it changes; all that it may need, while Liquid says so. */
export function scopesOn<Kind extends On>(...kinds: Kind[]) {
  const scopes = [...new Set(kinds.map((kind) => scopeOf[kind]))];
  const scopesFor = ({ on = kinds[0] }: { on?: Kind }) => (on && on in scopeOf ? [scopeOf[on]] : scopes);
  return { scopes, scopesFor };
}

/** Of the record that the step is about. */
export function kindOf({ run }: StepContext, named?: string): string {
  const kind = named ?? (run.subject_type === 'record' ? run.record_kind : undefined);
  if (!kind) throw invalidField('kind', 'The run is about no record: name its kind');
  return kind;
}
