import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { doing, openRuleHouse, type RuleHouse } from '../../support/rule-runs.ts';

/** What a person wrote may be as long as a limit, and its last character two units of a text. */
let at: RuleHouse;
beforeAll(async () => {
  at = await openRuleHouse();
});
afterAll(() => at.close());

const reason = '{{ contact.custom_fields.said }}';

test.each([
  ['an emoji across the limit of a reason', `${'x'.repeat(999)}😀`],
  ['an emoji at the limit of a reason', `${'x'.repeat(998)}😀`],
  ['emoji alone', '😀'.repeat(2_000)],
  ['characters without width and marks of direction', '\u200b\u202e＝1'.repeat(500)],
])('a run that stops with %s ends', async (_what, said) => {
  const run = await at.begin(await at.rule([{ id: 's', type: 'stop', reason }]), { subjectId: await at.contact({ said }) });
  expect(await at.work(run)).toEqual({ kind: 'done' });
  const { state, reason: shown } = await at.seen(run);
  expect(state).toBe('succeeded');
  expect(shown.isWellFormed()).toBe(true);
  expect(said.startsWith(shown)).toBe(true);
  expect(shown.length).toBeGreaterThan(Math.min(said.length, 1_000) - 2);
});

test('Liquid gives no half of a character', async () => {
  const vars = {
    apart: '{{ contact.custom_fields.said | split: "" | first }}',
    cut: '{{ contact.custom_fields.said | truncate: 5, "" }}',
    part: '{{ contact.custom_fields.said | slice: 1, 2 }}',
  };
  const rule = await at.rule([{ id: 'v', type: 'set_vars', vars }, doing('end')]);
  const run = await at.begin(rule, { subjectId: await at.contact({ said: '😀ab😀😀😀' }) });
  expect(await at.work(run)).toEqual({ kind: 'done' });
  expect((await at.seen(run)).vars).toEqual({ apart: '😀', cut: '😀ab😀😀', part: 'ab' });
});
