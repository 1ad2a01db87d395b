const many = new Intl.ListFormat('en', { type: 'disjunction' });
const quoted = (texts) => many.format(texts.map((text) => `“${text}”`));

const matches = { exact: 'is', contains: 'contains', starts_with: 'starts with' };

function daysText({ offset_days: days = 0 }) {
  const count = Math.abs(days);
  if (count === 0) return 'On';
  return `${count.toLocaleString('en')} ${count === 1 ? 'day' : 'days'} ${days < 0 ? 'before' : 'after'}`;
}

const zoneText = ({ timezone }) => (timezone ? ` (${timezone})` : '');

const triggers = {
  event: ({ event }) => `The event ${event}`,
  keyword: ({ match, keywords, channel_ids: channels }) =>
    `A message that ${matches[match] ?? match} ${quoted(keywords)}${channels?.length > 0 ? `, on ${channels.length} of the channels` : ''}`,
  schedule: ({ for_each: each, ...trigger }) =>
    `The schedule ${trigger.cron}${zoneText(trigger)}${each ? `, for each ${each.kind} of a listing` : ''}`,
  date: ({ kind, field, at, repeat, ...trigger }) =>
    `${daysText(trigger)} the date ${field} of each ${kind}${at ? `, at ${at}` : ''}${zoneText(trigger)}${repeat === 'yearly' ? ', each year' : ''}`,
  manual: ({ subject }) => `By hand${subject ? `, for one ${subject}` : ''}`,
  api: ({ name }) => `A program tells of “${name}”`,
};

/** What a rule begins with. A kind that this page does not know yet shows its name. */
export const triggerText = (trigger) => triggers[trigger.type]?.(trigger) ?? trigger.type;

/** Why a rule paused by itself, and what there is to do. */
export const pausedReasons = {
  only_fails: ['It paused by itself: its last runs all failed.', 'See below why. Mend the cause, then resume.'],
  not_valid: [
    'It paused by itself: something that it names is gone.',
    'Change its draft, publish it, or bring back what is gone and resume.',
  ],
  schedule_failed: [
    'It paused by itself: its schedule failed again and again, by a fault of the service.',
    'Resume it; if it pauses again, tell the operator, or make its listing smaller.',
  ],
};

/** Why starts were held back. */
export const heldReasons = {
  loop: 'It would begin by its own effect',
  chain_too_long: 'Too many rules began one another',
  too_often: 'It began too often for one subject within an hour',
  subject_busy: 'A run about the subject had not ended',
  too_many_runs: 'Too many runs were live',
  rule_too_often: 'It began too often within an hour',
};

/** Why a run was cancelled. What else stands there is what a `stop` step says. */
export const endReasons = {
  asked: 'Somebody asked for it',
  restarted: 'A newer run about the same subject took its place',
  exit_when: 'What ends the rule early came true',
  rule_deleted: 'The rule was deleted',
  contact_deleted: 'The contact was erased',
  conditions: 'The conditions did not hold any more after a wait',
  duplicate: 'Two contacts became one, and another run of the rule goes on for it',
};

/** What a run began with. */
export const begunBy = {
  event: 'an event',
  keyword: 'a message with a keyword',
  schedule: 'a schedule',
  date: 'a date',
  manual: 'somebody, by hand',
  api: 'a program',
  rule: 'another rule',
};

/** By the type of the step. `event`: of a step that waits for one. */
export function waitingText(type, event) {
  if (type === 'wait') return 'its time';
  if (type === 'wait_for') return event ? `the event ${event}` : 'an event';
  return `the step ${type}`;
}
