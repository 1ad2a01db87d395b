/** The lives of a rule and of a run, as tables. docs/automation.md shows them; the tests walk them. */
export const ruleStatuses = ['draft', 'live', 'paused'] as const;
export type RuleStatus = (typeof ruleStatuses)[number];

export const ruleModes = ['live', 'log'] as const;
/** `log`: all but act. */
export type RuleMode = (typeof ruleModes)[number];

export const ruleActions = ['change', 'publish', 'pause', 'resume', 'delete'] as const;
export type RuleAction = (typeof ruleActions)[number];

/** A state that leads to itself: asked again, nothing changes, except for `change` and `publish`. What is not here is a 409. */
export const ruleMoves: Record<RuleAction, Partial<Record<RuleStatus, (RuleStatus | 'gone')[]>>> = {
  change: { draft: ['draft'], live: ['live'], paused: ['paused'] },
  publish: { draft: ['live'], live: ['live'], paused: ['live'] },
  pause: { live: ['paused'], paused: ['paused'] },
  resume: { paused: ['live'], live: ['live'] },
  delete: { draft: ['gone'], live: ['gone'], paused: ['gone'] },
};

export const runStates = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type RunState = (typeof runStates)[number];

export const runActions = ['begin', 'succeed', 'fail', 'cancel', 'retry'] as const;
export type RunAction = (typeof runActions)[number];

/** A run that waits is `running`. `cancel` of a cancelled run and `begin` of a running one change nothing. */
export const runMoves: Record<RunAction, Partial<Record<RunState, RunState>>> = {
  begin: { queued: 'running', running: 'running' },
  succeed: { running: 'succeeded' },
  fail: { queued: 'failed', running: 'failed' },
  cancel: { queued: 'cancelled', running: 'cancelled', cancelled: 'cancelled' },
  retry: { failed: 'queued' },
};

export const isLive = (state: RunState) => state === 'queued' || state === 'running';

export const runTriggers = ['event', 'keyword', 'schedule', 'date', 'manual', 'api', 'rule'] as const;
export type RunTrigger = (typeof runTriggers)[number];

/** Of a step that a run took. `calling`: an outside call was claimed, and has not answered. */
export const stepStates = ['done', 'waiting', 'calling', 'failed', 'skipped'] as const;
export type StepState = (typeof stepStates)[number];

/** Why starts of a rule are held back. */
export const heldReasons = ['loop', 'chain_too_long', 'too_often', 'subject_busy', 'too_many_runs', 'rule_too_often'] as const;
export type HeldReason = (typeof heldReasons)[number];

/** Why a rule was paused: by somebody, or by itself. */
export const pausedReasons = ['', 'only_fails', 'not_valid', 'schedule_failed'] as const;
export type PausedReason = (typeof pausedReasons)[number];

/** Why a run was cancelled. `duplicate`: two contacts became one, and another run of the rule lives for it. */
export const cancelReasons = [
  'asked',
  'restarted',
  'exit_when',
  'rule_deleted',
  'contact_deleted',
  'conditions',
  'duplicate',
] as const;
export type CancelReason = (typeof cancelReasons)[number];
