import Joi from 'joi';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { AppError, invalidField } from '../../platform/errors.ts';
import { exampleIdOf } from '../../platform/examples.ts';
import { id } from '../../platform/ids.ts';
import { LocksOutdated } from '../../platform/ledger/locks.ts';
import { admitAll, startRuleOf } from '../evaluate/start.ts';
import { locksOfStarts, type RunStart, startRuns } from '../evaluate/start-runs.ts';
import { maxVarsBytes } from '../limits.ts';
import { AutomationRule } from '../rule.entity.ts';
import { definitionOf } from '../runs/definition-of.ts';
import { databaseAction, type StepContext } from './action.ts';
import { fault, literal } from './faults.ts';

type Fields = { rule_id: string; vars?: Record<string, unknown> };

const ruleById = statement((select, { ruleId }: { ruleId: string }) =>
  select(AutomationRule).select(['id', 'status', 'mode', 'version']).where('id', '=', ruleId).where('deleted_at', 'is', null),
);

const vars: Joi.CustomValidator<object> = (given, helpers) =>
  Buffer.byteLength(JSON.stringify(given)) > maxVarsBytes
    ? helpers.message({ custom: `{{#label}} has more than ${maxVarsBytes} bytes` })
    : given;

/** Of a live rule, about what the run is about. */
async function startOf({ own, actor, run }: StepContext, { rule_id, vars }: Fields): Promise<RunStart> {
  const [rule] = await ruleById(own, { ruleId: rule_id });
  if (!rule) throw invalidField('rule_id', 'There is no such rule', 'rule.unknown');
  if (rule.status !== 'live') throw new AppError('conflict', `The rule is ${rule.status}: it cannot start now`);
  const definition = await definitionOf(own, { rule_id, version: rule.version });
  return {
    rule: startRuleOf(rule.id, definition),
    subject: { subjectType: run.subject_type, subjectId: run.subject_id },
    chain: run.chain ?? [],
    version: rule.version,
    contactId: run.contact_id,
    run: { mode: rule.mode, trigger: 'rule', startedBy: actor, ...(vars && { vars }) },
  };
}

export const startRuleAction = databaseAction<Fields>({
  type: 'start_rule',
  // What it admits is looked at before its transaction: two of them would not see each other.
  isAlone: true,
  description:
    "Starts another rule about what this run is about, whatever that rule's own trigger and conditions are. Its limits hold: what is held back starts no run, and this one goes on. Whoever saves or publishes a rule with it needs the scopes of that rule's actions too, and those of all actions where `rule_id` is Liquid.",
  scopes: ['automation:trigger'],
  fields: Joi.object<Fields>({
    rule_id: id.required().description('A live rule'),
    vars: Joi.object().max(50).custom(vars).description(`What its steps read as \`vars\`: at most ${maxVarsBytes} bytes of JSON`),
  }),
  example: { rule_id: exampleIdOf('rule'), vars: { reason: '{{ message.text }}' } } as Partial<Fields>,
  async check(own: Own, fields) {
    const ruleId = literal(fields.rule_id);
    if (!ruleId || (await ruleById(own, { ruleId })).length > 0) return [];
    return [fault('rule_id', 'rule.unknown', 'There is no such rule')];
  },
  async prepare(context, fields) {
    const start = await startOf(context, fields);
    return {
      locks: await locksOfStarts(context.own, [start]),
      async write(tx) {
        // Paused, deleted or published since the look: the next one says so.
        const [now] = await ruleById(tx.own, { ruleId: start.rule.id });
        if (now?.status !== 'live' || now.version !== start.version) throw new LocksOutdated();
        const [admission] = await admitAll(tx.own, [start]);
        // It would end the run that starts it.
        if (admission!.restarts.includes(context.run.id)) throw new AppError('conflict', 'A run cannot start its own rule anew');
        const [run_id] = await startRuns(tx, [start]);
        return run_id
          ? { rule_id: start.rule.id, run_id, is_started: true }
          : { rule_id: start.rule.id, is_started: false, held: admission!.verdict };
      },
    };
  },
});
