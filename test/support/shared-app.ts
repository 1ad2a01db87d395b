import { knowJobs } from '../../src/jobs.ts';
import type { App } from './app.ts';
import { atEndOfRun } from './jest/at-end.ts';
import { afterFreshStart } from './jest/fresh.ts';
import type { AppOptions } from './product.ts';

/**
 * The application of this jest worker: files with the same options use it one after the other, each with an emptied database, a reset
 * sandbox and an organization of its own. A start and a stop cost as much as the tests of a usual file.
 */
let shared: { options: string; app: App } | undefined;
let isClaimed = false;

/** False for the second application of a file: it starts and stops with the file. */
export function claimSharing(): boolean {
  const isFirst = !isClaimed;
  isClaimed = true;
  return isFirst;
}

/** The running application if it has these options. */
export const sharedApp = (options: AppOptions): App | undefined =>
  shared?.options === JSON.stringify(options) && !shared.app.isStopped ? shared.app : undefined;

/** At most one runs beside those that a file has for itself. */
export async function share(app: App, options: AppOptions): Promise<void> {
  await stopSharedApp();
  shared = { options: JSON.stringify(options), app };
}

export async function stopSharedApp(): Promise<void> {
  const last = shared;
  shared = undefined;
  if (last && !last.app.isStopped) await last.app.stop();
}

atEndOfRun(stopSharedApp);

// A test file starts with what a process knows at its start; the workers of the shared application need what theirs knows.
afterFreshStart(async (usesApp) => {
  isClaimed = false;
  if (!usesApp) await stopSharedApp();
  else if (shared && !shared.app.isStopped) knowJobs();
});
