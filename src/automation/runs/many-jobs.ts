import Joi from 'joi';
import { AppError } from '../../platform/errors.ts';
import { uuid } from '../../platform/ids.ts';
import { backoff, type JobContract, job } from '../../platform/ledger/job.ts';
import { cancelReasons } from '../states.ts';
import type { RunFilter } from './filter.ts';

/**
 * `filter`: as JSON. `before`: only runs that had begun then, or had failed, so that what comes later is left; empty: all. How far it is stands in the
 * row of the job (`progress`), written with what was done.
 */
export type ManyPayload = { request_id: string; filter: string; before: string };
export type CancelPayload = ManyPayload & { reason: string };

const shape = {
  request_id: uuid,
  filter: Joi.string()
    .pattern(/^\{.*\}$/)
    .required(),
  before: Joi.string().isoDate().allow('').required(),
};

/**
 * What changes all runs that a filter finds: in steps, since there may be any number. It can be called off, unless `assertMayEnd` throws; what it did stays done.
 */
const manyJob = <Payload extends ManyPayload>(
  name: string,
  payload: Joi.ObjectSchema<Payload>,
  assertMayEnd = (_: Payload) => {},
): JobContract<Payload> =>
  job<Payload>({
    name,
    queue: 'default',
    payload,
    subjectType: 'automation_runs',
    subject: 'request_id',
    delayMs: backoff(8),
    operation: true,
    failed: async () => {},
    revived: async () => {},
    calledOff: async (_, asked) => assertMayEnd(asked),
    survivesCrashes: async () => true,
  });

export const cancelRunsJob = manyJob<CancelPayload>(
  'automation.cancel-runs',
  Joi.object({ ...shape, reason: Joi.valid(...cancelReasons).required() }),
  ({ reason }) => {
    if (reason === 'rule_deleted') throw new AppError('conflict', 'The rule was deleted: its runs cannot live on');
  },
);

/** Of older versions: all. */
export const allScopes = '*';
const scopesText = /^(\*|[a-z_]+:[a-z]+( [a-z_]+:[a-z]+)*)$/;
/** `scopes`: of who asked, with spaces between: what needs more is left. */
export type RetryPayload = ManyPayload & { scopes: string };
export const retryRunsJob = manyJob<RetryPayload>(
  'automation.retry-runs',
  Joi.object({ ...shape, scopes: Joi.string().pattern(scopesText).allow('').default(allScopes) }),
);

export const filterIn = ({ filter }: ManyPayload): RunFilter => JSON.parse(filter) as RunFilter;
