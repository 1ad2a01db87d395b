import type { App } from '../app.ts';
import { waitFor } from '../wait-for.ts';
import { requeue } from './jobs.ts';

/** Waits until the API shows that an operation has ended without a failure. */
export const operationEnds = (app: App, operationID: string) =>
  waitFor('the end of the operation', async () => {
    const { body } = await app.call('operations.get', { params: { operationID } });
    return body.status === 'succeeded' || body.status === 'cancelled';
  });

/** The job of an operation as it stood before its end, run once more: a second run changes nothing. */
export async function runAgain(app: App, operationID: string): Promise<void> {
  await requeue(app, operationID);
  await operationEnds(app, operationID);
}
