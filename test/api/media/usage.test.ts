import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { jpeg } from '../../support/media.ts';

const app = useApp({ env: { MEDIA_QUOTA_BYTES: '0' } });
const usage = async () => (await app.call('media.usage.get')).body;

test('what the files take, without a limit', async () => {
  expect(await usage()).toEqual({ bytes: 0, assets: 0, quota_bytes: null });
  for (const bytes of [2_000, 3_000]) await app.call('media.assets.create', { body: jpeg(bytes) });
  expect(await usage()).toEqual({ bytes: 5_000, assets: 2, quota_bytes: null });
});
