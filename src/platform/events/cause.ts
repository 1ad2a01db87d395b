/**
 * What made an event: `by` is `user:<id>`, `key:<id>`, `campaign:<id>` or `run:<id>`; `chain` names the rules that it passed through. A rule does not start
 * again from its own effect. None: it came from outside, such as a message of a person, or from the ledger itself.
 */
export type Cause = { by: string; chain?: string[] };
