import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import {
  cancelReasons,
  heldReasons,
  pausedReasons,
  type RuleAction,
  type RunAction,
  ruleMoves,
  ruleStatuses,
  runMoves,
  runStates,
  stepStates,
} from '../../src/automation/states.ts';
import { type Body, useApp } from '../support/app.ts';
import { definitions } from '../support/contract.ts';
import { commandsOf, pasted } from './shell.ts';

const text = readFileSync('docs/automation.md', 'utf8');
const app = useApp({ workers: true });

const get = async (operationId: string, params: Record<string, string>): Promise<Body> =>
  (await app.call(operationId, { params })).body;

test('the commands of "A first rule" in docs/automation.md go from nothing to a run and its second version', async () => {
  const first = text.slice(0, text.indexOf('\n## What a rule is made of'));
  const channel = await app.connect();
  const made = { 'channel.phone_number_id': channel.phoneNumberId };
  const { code, output: said, told } = await pasted(app, commandsOf(first), ['RULE', 'RUN'], made);
  expect([code, code === 0 ? '' : said.slice(-3_000)]).toEqual([0, '']);
  const run = await get('automation.runs.get', { runID: told.RUN! });
  expect(run.steps.map(({ step_id, state }: Body) => `${step_id} ${state}`)).toEqual(['answer done', 'mark done', 'call done']);
  const sent = (await app.sends(channel)).map(({ body }) => body.text.body);
  expect(sent).toContain('Hello Ayu, we call you today.');
  expect((await get('contacts.get', { contactID: run.contact_id })).data.tags).toEqual(['wants appointment']);
  const task = await get('crm.tasks.get', { taskID: run.steps[2].output.task_id });
  expect(task).toMatchObject({ title: 'Call Ayu', type: 'call' });
  for (const line of ['live\n', '"succeeded":1', '2\n', 'queued\n', 'paused\n']) expect(said).toContain(line);
  expect(await get('automation.rules.get', { ruleID: told.RULE! })).toMatchObject({
    status: 'paused',
    version: 2,
    has_changes: false,
  });
});

describe('the tables of docs/automation.md', () => {
  /** The cells of the row that begins with this state, after a title. */
  const row = (title: string, state: string): string[] => {
    const [table] = text.slice(text.indexOf(`**${title}**`)).match(/(\|.*\n)+/)!;
    const line = table!.split('\n').find((one) => one.startsWith(`| \`${state}\` |`))!;
    return line
      .split('|')
      .slice(2, -1)
      .map((cell) => cell.trim());
  };

  test('have each move of a rule, and no other', () => {
    const actions: RuleAction[] = ['change', 'publish', 'pause', 'resume', 'delete'];
    for (const status of ruleStatuses)
      for (const [at, cell] of row('A rule', status).entries()) {
        const moves = ruleMoves[actions[at]!][status];
        expect([status, actions[at], cell !== '']).toEqual([status, actions[at], moves !== undefined]);
        const [to] = moves ?? [];
        if (to && !(to === status && cell.startsWith('stays'))) expect(cell).toMatch(new RegExp(`^${to}\\b`));
      }
  });

  test('have each move of a run, and no other', () => {
    const actions: RunAction[] = ['begin', 'succeed', 'fail', 'cancel', 'retry'];
    for (const state of runStates)
      expect(row('A run', state)).toEqual(
        actions.map((action) => {
          const to = runMoves[action][state];
          return to === state ? 'stays' : (to ?? '');
        }),
      );
  });

  test('have every state of a step, and every reason', () => {
    for (const state of stepStates) expect(text).toContain(`| \`${state}\` |`);
    for (const reason of heldReasons) expect(text).toContain(`| \`${reason}\` |`);
    for (const reason of cancelReasons) expect(text).toMatch(new RegExp(`[\`(\\s]${reason}[\`\\s]`));
  });
});

describe('the runbooks of rules in docs/operations.md', () => {
  const operations = readFileSync('docs/operations.md', 'utf8');
  const runbooks = operations.slice(operations.indexOf('### A rule runs too often'), operations.indexOf('### Bookings that'));

  test('explain why a rule paused itself, and what holds it back', () => {
    for (const reason of pausedReasons.filter(Boolean)) expect(runbooks).toContain(`\`${reason}\``);
  });

  test('ask the API for what it has', () => {
    const lines = runbooks.replace(/<(rule|run|event) id>/g, ':$1ID');
    const asked = [...lines.matchAll(/\b(ask|tell) '?((?:automation|events)[^\s'?|`]*)(.*)/g)].map(([, verb, path, rest]) => {
      const method = verb === 'ask' ? 'get' : rest!.includes("' PATCH") ? 'patch' : 'post';
      return `${method} /v1/${path}`;
    });
    expect(asked.length).toBeGreaterThan(20);
    const known = new Set(definitions.map(({ method, path }) => `${method} ${path}`));
    expect(asked.filter((one) => !known.has(one))).toEqual([]);
  });
});
