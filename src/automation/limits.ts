export { maxOfWhole as maxLiquid } from '../liquid/limits.ts';

export const maxRules = 500;
export const maxDefinitionBytes = 256 * 1024;
export const maxSteps = 50;
/** Of branches in branches, and of conditions in conditions. */
export const maxDepth = 5;
export const maxConditions = 50;
/** Of a text that a condition compares with. */
export const maxValueCharacters = 4_096;
export const maxWaitDays = 365;
export const maxForEach = 100_000;
export const maxLiveRuns = 1_000_000;
export const maxStepsOfRun = 1_000;
/** Rules that an event has passed through. */
export const maxChain = 5;
/** Starts of a rule for one subject in an hour. */
export const maxStartsAnHour = 10;
/** Starts of a rule in an hour, whatever its subjects: what a call does comes back as the work of a client, without the chain of rules. Of rules that call outside. */
export const usualRuleStartsAnHour = 5_000;
/** As many as an author may set. They are counted at each start. */
export const maxRuleStartsAnHour = 100_000;
/** Failed runs in a row, after which a rule pauses itself. */
export const maxFailuresInARow = 100;
export const maxSecrets = 100;
export const maxApiEventBytes = 16 * 1024;
/** Of an event that is made up for a test: the largest one that the API tells has its own fields around the 16 kB. */
export const maxTriedEventBytes = 32 * 1024;
/** Of the variables of a run, as JSON. */
export const maxVarsBytes = 16 * 1024;
/** Evaluations and runs of an organization at work at once. */
export const poolWidth = 20;
