import type { App } from '../app.ts';
import { waitFor } from '../wait-for.ts';
import { requeue } from './jobs.ts';

/** Waits until the API shows this status of an operation. */
export const operationIs = (app: App, operationID: string, status = 'succeeded') =>
  waitFor(`the operation to be ${status}`, async () => {
    const { body } = await app.call('operations.get', { params: { operationID } });
    return body.status === status;
  });

/** The job of an operation as it stood before its end, run once more: a second run changes nothing. */
export async function runAgain(app: App, operationID: string): Promise<void> {
  await requeue(app, operationID);
  await operationIs(app, operationID);
}
