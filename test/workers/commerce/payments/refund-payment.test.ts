import { expect, test } from '@jest/globals';
import { refundPaymentJob } from '../../../../src/commerce/payments/jobs.ts';
import { transactFor } from '../../../../src/platform/ledger/tenant.ts';
import { useApp } from '../../../support/app.ts';
import { owingOrder, paymentRecords } from '../../../support/payments.ts';
import { refundRows } from '../../../support/work/commerce.ts';
import { rightNow } from '../../../support/work/rows.ts';

const app = useApp();

test('a refund that was asked for is not given up when workers die over it: the provider may have given the money back', async () => {
  const orderId = await owingOrder(app);
  const { refundID } = await paymentRecords(app, orderId);
  const survives = () =>
    transactFor(app.web.deps.ledger.transact, app.tenant.organizationId)({}, (tx) =>
      refundPaymentJob.survivesCrashes!(tx, { order_id: orderId, refund_id: refundID }),
    );
  const become = (change: Parameters<typeof refundRows.change>[2]) => refundRows.change(app, refundID, change);
  await become({ status: 'pending', asked_at: null, provider_refund_id: null });
  expect(await survives()).toBe(false);
  await become({ asked_at: rightNow() });
  expect(await survives()).toBe(true);
  await become({ status: 'failed' });
  expect(await survives()).toBe(false);
});
