import { knowJobs } from '../../src/jobs.ts';
import { App } from './app.ts';
import { atEndOfRun } from './jest/at-end.ts';
import { afterFreshStart } from './jest/fresh.ts';
import type { AppOptions } from './product.ts';

/**
 * The application of this jest worker: files with the same options use it one after the other, each with an emptied database, a reset
 * sandbox and an organization of its own. A start and a stop cost as much as the tests of a usual file.
 */
let shared: { options: string; app: App } | undefined;
let isInUse = false;

/** The running application if it has these options and no other part of the file uses it; undefined otherwise. */
export function sharedApp(options: AppOptions): App | undefined {
  const key = JSON.stringify(options);
  if (isInUse || shared?.options !== key || shared.app.isStopped) return undefined;
  isInUse = true;
  return shared.app;
}

/** Stops the previous shared application: at most one runs beside the one that a file has for itself. */
export async function share(app: App, options: AppOptions): Promise<void> {
  await stopSharedApp();
  shared = { options: JSON.stringify(options), app };
  isInUse = true;
}

export const isShared = (app: App): boolean => shared?.app === app;

export const release = (): void => {
  isInUse = false;
};

export async function stopSharedApp(): Promise<void> {
  const last = shared;
  shared = undefined;
  if (last && !last.app.isStopped) await last.app.stop();
}

atEndOfRun(stopSharedApp);

// A test file starts with what a process knows at its start; the workers of the shared application go on with theirs.
afterFreshStart(() => {
  isInUse = false;
  if (shared && !shared.app.isStopped) knowJobs();
});
