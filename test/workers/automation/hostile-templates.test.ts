import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { actions } from '../../../src/automation/actions/index.ts';
import { readDefinition } from '../../../src/automation/definition/check.ts';
import type { Step } from '../../../src/automation/definition/definition.ts';
import { tryRule } from '../../../src/automation/runs/try-rule.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { doing, openRuleHouse, type RuleHouse } from '../../support/rule-runs.ts';
import { testSecrets } from '../../support/secrets.ts';

/** Texts that a version may hold from a time when they were not refused, and those that pass: the rule's author is a tenant. */
let at: RuleHouse;
let subjectId: string;
beforeAll(async () => {
  at = await openRuleHouse();
  subjectId = await at.contact({
    long: 'x'.repeat(4_000),
    list: Array.from({ length: 10_000 }, () => 'xy'),
  });
});
afterAll(() => at.close());

const filledWith = (start: string, unit: string, end: string) =>
  start + unit.repeat(Math.floor((4_096 - start.length - end.length) / unit.length)) + end;
const long = 'contact.custom_fields.long';
const list = 'contact.custom_fields.list';

const toEnd = async (steps: Step[]) => {
  const run = await at.begin(await at.rule(steps), { subjectId });
  await at.work(run);
  return { run, seen: await at.seen(run) };
};

describe('a step that is not rendered fails the run:', () => {
  test.each([
    ['nested loops', '{% for a in (1..9999) %}{% for b in (1..9999) %}x{% endfor %}{% endfor %}'],
    ['a huge range', '{{ (1..1000000000) }}'],
    ['an include', '{% include "/etc/passwd" %}'],
    ['the constructor', '{{ contact["constructor"]["constructor"] }}'],
    ['the prototype as a variable', '{% assign __proto__ = contact %}{{ __proto__.name }}'],
    ['a variable of the process', '{{ process.env }}'],
    ['1 MB of {{', '{{'.repeat(500_000)],
    ['closed brackets', `{{ ${'('.repeat(2_000)}1${')'.repeat(2_000)} }}`],
    ['deep ifs', `${'{% if 1 %}'.repeat(150)}x${'{% endif %}'.repeat(150)}`],
    ['recursion by assign', `{% assign a = "xxxxxxxx" %}${'{% assign a = a | append: a %}'.repeat(100)}{{ a }}`],
    ['a replace that multiplies', `{{ ${long} | replace: "x", ${long} }}`],
    ['a huge width of a date', '{{ "now" | date: "%999999999d" }}'],
    ['long lists that are searched', filledWith('{%if 1==2', ` or ${list} contains "z"`, '%}x{%endif%}')],
    ['what is missing', '{{ contact.email }}'],
  ])('%s', async (_title, text) => {
    const { run, seen } = await toEnd([doing('a'), doing('b', { gives: text }), doing('c')]);
    expect(seen).toMatchObject({ state: 'failed', failed_step: 'b', error: { code: 'render_failed' }, steps_run: 1 });
    expect(seen.error!.message.length).toBeLessThan(1_001);
    expect(JSON.stringify(seen)).not.toMatch(/xxxx|\[native code\]|node_modules/);
    expect(await at.effects(run)).toEqual(['a']);
  });
});

test('a definition of nothing but braces, as large as one may be, is tried', async () => {
  const text = `{{ "${'{'.repeat(4_050)}" }}`;
  const setting = (id: string, vars: object): Step => ({ id, type: 'set_vars', vars }) as Step;
  const braces = Array.from({ length: 5 }, (_, n) => setting(`s${n}`, { a: text, b: text, c: text }));
  const steps = [...braces, ...Array.from({ length: 10 }, (_, n) => setting(`p${n}`, { plain: 'x'.repeat(15_000) }))];
  const { definition, faults } = readDefinition({ trigger: { type: 'manual' }, steps });
  expect(faults).toEqual([]);
  const deps = { own: ownRows(at.house.database, at.organization), secrets: testSecrets, actions, stopWords: [] };
  const subject = { type: 'contact', id: subjectId } as const;
  const tried = await tryRule(deps, uuidv7(), definition!, { subject });
  expect(JSON.stringify(tried.steps.at(-1))).toContain('at most 16384 bytes');
});

test('nothing is left over', async () => {
  expect(await checkJobs(at.house.database)).toEqual([]);
});
