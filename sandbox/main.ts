import { createSandbox } from './sandbox.ts';

const { env } = process;

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

try {
  const sandbox = createSandbox({
    accounts: env.ACCOUNTS ? JSON.parse(env.ACCOUNTS) : undefined,
    webhookUrl: env.WEBHOOK_URL || undefined,
    appId: env.APP_ID || undefined,
    appSecret: env.APP_SECRET || undefined,
    verifyToken: env.VERIFY_TOKEN || undefined,
    allowedHosts: env.ALLOWED_HOSTS?.split(',').map((name) => name.trim()),
  });
  const port = await sandbox.listen(Number(env.SANDBOX_PORT || 4010), env.SANDBOX_HOST || '127.0.0.1');
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void sandbox.close());
  say({ msg: 'sandbox listening', port });
} catch (error) {
  say({ msg: 'sandbox cannot start', error: error instanceof Error ? error.message : String(error) });
  process.exitCode = 1;
}
