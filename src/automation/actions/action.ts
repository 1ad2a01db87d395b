import type Joi from 'joi';
import type { Scope } from '../../organizations/scopes.ts';
import type { Own } from '../../platform/database/own.ts';
import { AppError, type ErrorDetail } from '../../platform/errors.ts';
import { atOnce } from '../../platform/ledger/at-once.ts';
import { LocksOutdated } from '../../platform/ledger/locks.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import type { TenantTx } from '../../platform/ledger/tx.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { HttpCaller } from '../../webhooks/http-caller.ts';
import type { SubjectType } from '../definition/definition.ts';

/** What a step sees of its run. `actor`: `run:<id>`. */
export type StepContext = {
  own: Own;
  transact: TenantTransact;
  secrets: Secrets;
  actor: string;
  /** Of a worker: what may call outside. */
  http?: HttpCaller;
  /** `presentContact`, of which the looks of several steps know the answer. */
  present?(id: string): Promise<string>;
  run: {
    id: string;
    rule_id: string;
    /** What the run is about, and the person behind it. A step without an id of its own means these. */
    subject_type: SubjectType;
    subject_id: string;
    contact_id: string | null;
    conversation_id: string | null;
    /** Of the kind `record`. */
    record_kind?: string;
    /** The rules that its effects pass through, its own last. */
    chain?: string[];
  };
};

/** Ids and what a user wants to see of what a step did; later steps read it as `steps.<id>.<name>`. At most 16 kB. */
export type Output = Record<string, unknown>;

/**
 * `locks`: of the subjects it changes; what they were chosen by is looked at again under them, and LocksOutdated repeats the whole write with a new
 * look. `write` reads within the transaction, so it sees what the steps before it have written there. The transaction of steps also takes
 * `conflicts` (conflicts.ts).
 */
export type PreparedStep = { locks: string[]; write(tx: TenantTx): Promise<Output>; noted?: Noted };

/**
 * The same, where all is as the look saw it: it asks nothing, and what it includes is undone where that does not hold. A transaction of such steps alone is
 * one round trip. LocksOutdated: after the next look it is `write` that counts.
 */
export type Noted = (tx: TenantTx) => Output | Promise<Output>;

type Common<Fields> = {
  type: string;
  description: string;
  /** Whoever saves or publishes a rule with it needs all of them; `scopesFor`: those of them that it needs with these fields. */
  scopes: Scope[];
  scopesFor?(fields: Partial<Fields>): Scope[];
  /** Its own fields, beside `id` and `type`, as they are once Liquid is rendered. Each text, number and boolean may be Liquid in a definition. */
  fields: Joi.ObjectSchema<Fields>;
  example: Partial<Fields>;
  /** When a rule is published: what it names is there. `path`: of a detail, from the step on. */
  check?(own: Own, fields: Fields): Promise<ErrorDetail[]>;
};

/**
 * Calls the rule that the API itself calls, as the actor of the run. Several in a row are one transaction; `isAlone`: in a transaction of its own. A
 * refusal is an AppError, and fails the run at this step. `prepare` writes nothing. As its endpoint, it is not in the audit log: what a run did is told
 * by its steps, by the cause of its events and by the actor in history.
 */
export type DatabaseAction<Fields = Record<string, unknown>> = Common<Fields> & {
  kind: 'database';
  isAlone?: boolean;
  /** The types of all events that it records where it is noted. */
  tells?: string[];
  prepare(context: StepContext, fields: Fields): Promise<PreparedStep>;
};

/**
 * `failed`: it may be made again, as it had no effect or is repeatable. `busy`: again after that time. `unknown`: the answer was lost; again only where it is
 * repeatable. `refused`: never again.
 */
export type CallOutcome =
  | { kind: 'done'; output: Output }
  | { kind: 'refused' | 'unknown' | 'failed'; code: string; message: string; output?: Output }
  | { kind: 'busy'; retryAfterMs: number; message: string };

/** Outside: claimed first, in a pool of its own. */
export type CallAction<Fields = Record<string, unknown>> = Common<Fields> & {
  kind: 'call';
  pool(organizationId: string, fields: Fields): { id: string; width: number };
  /** May be asked again when the answer was lost. */
  isRepeatable(fields: Fields): boolean;
  /** `key`: the same for each attempt of this step. */
  call(context: StepContext, fields: Fields, key: string): Promise<CallOutcome>;
};

export type Action<Fields = Record<string, unknown>> = DatabaseAction<Fields> | CallAction<Fields>;

/** A contact that was merged since the look is followed by the next one. */
function lookAgain(error: unknown): never {
  const isMerged = error instanceof AppError && error.details?.some(({ code }) => code === 'merged');
  throw isMerged ? new LocksOutdated() : error;
}

/** With its own fields' type inside, as the Map of all has them without. The steps after it see what it wrote. */
export function databaseAction<Fields>(action: Omit<DatabaseAction<Fields>, 'kind'>): DatabaseAction {
  const whole: DatabaseAction<Fields> = {
    ...action,
    kind: 'database',
    async prepare(context, fields) {
      const { locks, write, noted } = await action.prepare(context, fields);
      const within = (work: Noted) => (tx: TenantTx) =>
        atOnce(tx.own, (own) => work(Object.assign(Object.create(tx) as TenantTx, { own }))).catch(lookAgain);
      return { locks, write: within(write), ...(noted && { noted: within(noted) }) };
    },
  };
  return whole as unknown as DatabaseAction;
}

/** Of a step: whoever saves or publishes its rule needs them. */
export const scopesOfStep = <Fields>(action: Action<Fields>, fields: Partial<Fields>): Scope[] =>
  action.scopesFor?.(fields) ?? action.scopes;
