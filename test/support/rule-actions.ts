import Joi from 'joi';
import type { Action, CallOutcome } from '../../src/automation/actions/action.ts';
import { startRuleAction } from '../../src/automation/actions/start-rule.ts';
import { AppError } from '../../src/platform/errors.ts';
import { LocksOutdated } from '../../src/platform/ledger/locks.ts';

type Fields = { name: string; when?: 'prepare' | 'write'; code?: string; gives?: unknown };

const fields = Joi.object<Fields>({
  name: Joi.string().required(),
  when: Joi.string().valid('prepare', 'write'),
  code: Joi.string(),
  gives: Joi.any(),
});
const refusal = () => new AppError('consent_required', 'Not allowed');

export type Effects = {
  actions: Map<string, Action>;
  asked: Asked[];
  answer(...next: Answer[]): void;
  forget(): void;
  refusals: Set<string>;
  prepared: string[];
};
export type Asked = { key: string; fields: unknown };
export type Answer = CallOutcome | Error | (() => Promise<CallOutcome>);

/** Actions whose effects are rows of `effects`, and whose calls are answered as the test says. */
export function toyActions(): Effects {
  const asked: Asked[] = [];
  const answers: Answer[] = [];
  const refusals = new Set<string>();
  const prepared: string[] = [];

  const act = (type: string, isAlone: boolean): Action =>
    ({
      ...{ kind: 'database', type, description: '', scopes: [], fields, example: {}, isAlone },
      async prepare({ run }: Parameters<Extract<Action, { kind: 'database' }>['prepare']>[0], given: Fields) {
        prepared.push(given.name);
        if (given.when === 'prepare' || refusals.has(`prepare ${given.name}`)) throw refusal();
        return {
          locks: [`toy:${given.name}`],
          async write(tx) {
            if (given.code === 'outdated' && refusals.delete('outdated')) throw new LocksOutdated();
            if (given.when === 'write' || refusals.has(`write ${given.name}`)) throw refusal();
            await tx.own.sql('insert into effects (organization_id, run_id, name, cause, chain) values ($1, $2, $3, $4, $5)', [
              ...[run.id, given.name, tx.cause?.by, tx.cause?.chain],
            ]);
            return { name: given.name, ...(given.gives !== undefined && { gives: given.gives }) };
          },
        };
      },
    }) as Action;

  const ask = (type: string, isRepeatable: boolean): Action =>
    ({
      ...{ kind: 'call', type, description: '', scopes: [], fields, example: {} },
      pool: (organizationId: string) => ({ id: `http:${organizationId}:example.com`, width: 10 }),
      isRepeatable: () => isRepeatable,
      async call(_: unknown, given: Fields, key: string): Promise<CallOutcome> {
        asked.push({ key, fields: given });
        const next = answers.shift() ?? { kind: 'done', output: { answer: given.name } };
        if (next instanceof Error) throw next;
        return typeof next === 'function' ? next() : next;
      },
    }) as Action;

  const all = [
    startRuleAction,
    act('do', false),
    act('do_other', false),
    act('do_alone', true),
    ask('ask', false),
    ask('ask_again', true),
  ];
  return {
    actions: new Map(all.map((action) => [action.type, action])),
    asked,
    refusals,
    prepared,
    answer: (...next) => void answers.push(...next),
    forget: () => void answers.splice(0),
  };
}
