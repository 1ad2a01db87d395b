import type Joi from 'joi';
import type { Action, PreparedStep, StepContext } from '../../src/automation/actions/action.ts';
import { conflicts } from '../../src/automation/actions/conflicts.ts';
import { actions } from '../../src/automation/actions/index.ts';
import { ownRows } from '../../src/platform/database/own.ts';
import { AppError, type ErrorDetail, fieldOf } from '../../src/platform/errors.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { transactFor } from '../../src/platform/ledger/tenant.ts';
import { anyZone } from '../../src/platform/schemas/moment.ts';
import type { App, Body } from './app.ts';

export type GivenRun = Partial<StepContext['run']>;
type Given = Record<string, unknown>;

const preferences: Joi.ValidationOptions = { abortEarly: false, errors: { wrap: { label: false } } };

/** Of a step, once Liquid is rendered: as the action takes them, with their defaults. Throws 422, each fault at its field. */
export function readFields(action: Action, given: Record<string, unknown>): Record<string, unknown> {
  const { value, error } = action.fields.validate(given, { ...preferences, context: anyZone });
  if (!error) return value;
  const details = error.details.map(
    ({ path, type, message }): ErrorDetail => ({ field: fieldOf(path), location: 'body', code: type, message }),
  );
  throw new AppError('invalid_request', details.length === 1 ? details[0]!.message : `${details.length} fields are not valid`, {
    details,
  });
}

/** Takes steps of a run as the engine does: prepared, and written in one transaction, with no run behind it. */
export function stepsOf(app: App) {
  const runOf = (given: GivenRun): StepContext['run'] => ({
    id: uuidv7(),
    rule_id: uuidv7(),
    subject_type: 'organization',
    subject_id: app.tenant.organizationId,
    contact_id: null,
    conversation_id: null,
    ...given,
  });
  const own = () => ownRows(app.web.deps.database, app.tenant.organizationId);

  /** Several are one transaction. `between`: what others do after the first look and before the write. */
  async function takeAll(steps: [string, Given][], given: GivenRun = {}, between?: () => Promise<unknown>) {
    const { ledger, secrets } = app.web.deps;
    const transact = transactFor(ledger.transact, app.tenant.organizationId);
    const run = runOf(given);
    const context: StepContext = { own: own(), transact, secrets, actor: `run:${run.id}`, run };
    const ready = steps.map(([type, fields]) => {
      const action = actions.get(type)!;
      if (action.kind !== 'database') throw new Error(`${type} writes nothing`);
      return { action, fields: readFields(action, fields) };
    });
    const cause = { by: context.actor, chain: [run.rule_id] };
    let looks = 0;
    const isNoted = (prepared: PreparedStep[]) => looks === 1 && prepared.every(({ noted }) => noted !== undefined);
    const outputs = await transact(
      {
        ...conflicts,
        cause,
        async look() {
          looks += 1;
          const prepared: PreparedStep[] = [];
          for (const { action, fields } of ready) prepared.push(await action.prepare(context, fields));
          if (looks === 1) await between?.();
          return prepared;
        },
        locks: (prepared) => prepared.flatMap(({ locks }) => locks),
        isOneTrip: isNoted,
      },
      async (tx, prepared) => {
        const written: Body[] = [];
        for (const { write, noted } of prepared) written.push(await (isNoted(prepared) ? noted! : write)(tx));
        return written;
      },
    );
    return { outputs, run, cause, looks };
  }

  return {
    takeAll,
    /** One step; what it gave. */
    async take(type: string, fields: Given, run: GivenRun = {}, between?: () => Promise<unknown>) {
      const { outputs, ...more } = await takeAll([[type, fields]], run, between);
      return { output: outputs[0] as Body, ...more };
    },
    check: async (type: string, fields: Given): Promise<ErrorDetail[]> => (await actions.get(type)!.check?.(own(), fields)) ?? [],
    /** The events that the run made, in order. */
    eventsOf: ({ id }: { id: string }): Promise<Body[]> =>
      app.rows('select type, subject_id, data, cause, chain from events where cause = $1 order by seq', [`run:${id}`]),
  };
}

/** With the ids of one object as the words of its twin, and without times: what two ways to the same must have alike. */
export function alike(value: unknown, ids: string[]): unknown {
  let text = JSON.stringify(value);
  for (const [index, id] of ids.entries()) text = text.replaceAll(id, `<${index}>`);
  return JSON.parse(text.replace(/"[^"]*(?:\d\d:\d\d:\d\d)[^"]*"/g, '"<time>"'));
}
