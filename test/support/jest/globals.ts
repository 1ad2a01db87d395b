import type * as Globals from '@jest/globals';

/** What `@jest/globals` is for tests: imports are live, so that the functions are those of the file that runs. */
export let { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = {} as typeof Globals;

export function use(globals: typeof Globals): void {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globals);
}
