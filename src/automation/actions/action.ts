import type Joi from 'joi';
import type { Scope } from '../../organizations/scopes.ts';
import type { Own } from '../../platform/database/own.ts';
import type { ErrorDetail } from '../../platform/errors.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import type { TenantTx } from '../../platform/ledger/tx.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { SubjectType } from '../definition/definition.ts';

/** What a step sees of its run. `actor`: `run:<id>`. */
export type StepContext = {
  own: Own;
  transact: TenantTransact;
  secrets: Secrets;
  actor: string;
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
  };
};

/** Ids and what a user wants to see of what a step did; later steps read it as `steps.<id>.<name>`. At most 16 kB. */
export type Output = Record<string, unknown>;

/** `locks`: of the subjects it changes. `write` may run again, with a new look: LocksOutdated. */
export type PreparedStep = { locks: string[]; write(tx: TenantTx): Promise<Output> };

type Common<Fields> = {
  type: string;
  description: string;
  /** Whoever saves or publishes a rule with it needs all of them. */
  scopes: Scope[];
  /** Its own fields, beside `id` and `type`, as they are once Liquid is rendered. Each text, number and boolean may be Liquid in a definition. */
  fields: Joi.ObjectSchema<Fields>;
  example: Partial<Fields>;
  /** When a rule is published: what it names is there. `path`: of a detail, from the step on. */
  check?(own: Own, fields: Fields): Promise<ErrorDetail[]>;
};

/**
 * Calls the rule that the API itself calls. Several in a row are one transaction; `isAlone`: what it looks at must not have been changed by the same
 * transaction, or it writes with a part of the ledger's statement. A refusal is an AppError, and fails the run at this step.
 */
export type DatabaseAction<Fields = Record<string, unknown>> = Common<Fields> & {
  kind: 'database';
  isAlone?: boolean;
  prepare(context: StepContext, fields: Fields): Promise<PreparedStep>;
};

/** What the outcome of a call outside may be: `unknown`, the answer was lost. */
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
