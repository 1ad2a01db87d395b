import type { Own } from '../../platform/database/own.ts';
import type { JobError } from '../../platform/ledger/jobs.entity.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import type { RunRef } from '../../platform/ledger/tx.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { HttpCaller } from '../../webhooks/http-caller.ts';
import type { Action } from '../actions/action.ts';

/** What a worker gives to a run of its job. */
export type RunDeps = {
  own: Own;
  /** Repeats over outages of our own. */
  transact: TenantTransact;
  /** The same, whatever it takes: for the answer of a call. */
  lasting: TenantTransact;
  secrets: Secrets;
  http?: HttpCaller;
  /** By type. */
  actions: ReadonlyMap<string, Action>;
  /** The row and its run: once another row or run is at it, this one is not. */
  job: RunRef & { pool: string | null; attempts: number; error: JobError | null };
  /** While somebody outside answers. */
  outside<Answer>(call: () => Promise<Answer>): Promise<Answer>;
};
