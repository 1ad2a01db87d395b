import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as { version: string };

/** Runs one command of the command line. A failure is printed, and sets the exit code of the process. */
export async function run(args: string[]): Promise<void> {
  try {
    await createProgram().parseAsync(args, { from: 'user' });
  } catch (error) {
    const { failureText } = await import('./failure.ts');
    console.error(failureText(error));
    process.exitCode = 1;
  }
}

/** All commands. Commander stores the options of a run in them: each run needs new ones. */
export function createProgram(): Command {
  const program = new Command('kanal').description('Kanal on the command line').version(version).showHelpAfterError();

  // Every action loads its file when it runs: `start` must not wait for modules that only others need.
  program
    .command('start')
    .description('start everything on this machine: database, sandbox, web, worker and a demo organization')
    .option('--reset', 'delete what earlier starts have kept and begin anew')
    .option('--verbose', 'say what each step took')
    .action(async (options) => (await import('./start.ts')).start(options));

  program
    .command('demo [scene]')
    .description(
      'play a conversation against what `start` has started, and show it as it happens; `campaign`, `flow`, `order`, `rule`: other scenes',
    )
    .action(async (scene) => (await import('./demo.ts')).demo(scene));

  program
    .command('migrate')
    .description('bring the database to the version of this code; once before a roll-out')
    .action(async () => (await import('./migrate.ts')).migrateCommand());

  program
    .command('compile')
    .description('start web and worker for a moment, so that later starts find all code compiled; the image does it once')
    .action(async () => (await import('./compile.ts')).compile());

  program
    .command('config')
    .description('list every variable with its default')
    .option('--markdown', 'as the tables of the README')
    .action(async (options) => (await import('./config.ts')).showConfig(options));

  program
    .command('openapi')
    .description('print the OpenAPI document')
    .option('--write', 'write it to openapi.json')
    .action(async (options) => (await import('./openapi.ts')).openapi(options));

  const asJson = ['--json', 'as JSON, every field'] as const;
  const passwordStdin = [
    '--password-stdin',
    'take the password from standard input; without it one is made up and printed, this once',
  ] as const;

  const organizations = program.command('organization').description('organizations');
  organizations
    .command('create <name>')
    .description('create an organization and print its id')
    .action(async (name) => (await import('./organization.ts')).createOrganizationCommand(name));
  organizations
    .command('list')
    .description('list all of them')
    .option(...asJson)
    .action(async (options) => (await import('./organization.ts')).listOrganizationsCommand(options));

  const users = program.command('user').description('people who log in');
  users
    .command('create <email>')
    .description('create a user, or let one who is there into an organization')
    .option('--name <name>', 'default: what stands before the @')
    .option('--organization <id>', 'the organization to be a member of')
    .option('--role <role>', 'owner, admin, agent or viewer; default: owner')
    .option(...passwordStdin)
    .action(async (email, options) => (await import('./user.ts')).createUserCommand(email, options));
  users
    .command('password <email>')
    .description('set a password; ends all sessions and bearer tokens of the user')
    .option(...passwordStdin)
    .action(async (email, options) => (await import('./user.ts')).setPasswordCommand(email, options));
  users
    .command('list')
    .description('list all of them, or the members of an organization')
    .option('--organization <id>', 'members of this one, with their roles')
    .option(...asJson)
    .action(async (options) => (await import('./user.ts')).listUsersCommand(options));

  const keys = program.command('key').description('API keys');
  keys
    .command('create <organizationId>')
    .description('create an API key and print it, this once')
    .option('--name <name>', 'what the key is for', 'command line')
    .option('--scopes <scopes>', 'comma-separated; default: all, which lets the key do everything in the organization')
    .option('--expires-in-days <days>', 'default: never')
    .action(async (organizationId, options) => (await import('./key.ts')).createKeyCommand(organizationId, options));
  keys
    .command('list <organizationId>')
    .description('list the keys of an organization, revoked ones too')
    .option(...asJson)
    .action(async (organizationId, options) => (await import('./key.ts')).listKeysCommand(organizationId, options));
  keys
    .command('revoke <keyId>')
    .description('refuse a key from now on, on every process within 5 seconds')
    .action(async (keyId) => (await import('./key.ts')).revokeKeyCommand(keyId));

  const jobs = program.command('jobs').description('the ledger of work');
  jobs
    .command('check')
    .description('name every job that nothing will move; exits 1 when there is one')
    .option('--timeout <seconds>', 'longest for one look, a locked table included; exits 1 and says so', '10')
    .action(async (options) => (await import('./jobs.ts')).checkJobsCommand(options));
  jobs
    .command('retry <ids...>')
    .description('run failed jobs again, in the order given')
    .action(async (ids) => (await import('./jobs.ts')).retryJobsCommand(ids));

  program
    .command('provider-webhooks')
    .description('bodies received from the provider')
    .command('retry <ids...>')
    .description('apply broken ones again, in the order given')
    .action(async (ids) => (await import('./provider-webhooks.ts')).retryProviderWebhooksCommand(ids));

  const webhooks = program.command('webhooks').description('deliveries to webhook endpoints');
  const sinceOption = ['--since <time>', 'ISO 8601, or how long ago: 90m, 6h, 2d'] as const;
  const untilOption = ['--until <time>', 'the same; default: now'] as const;
  webhooks
    .command('endpoints')
    .description('list endpoints in trouble: disabled, failing, or with deliveries that are overdue or failed')
    .option('--organization <id>', 'of this one; default: of all')
    .option('--limit <number>', 'at most so many, disabled ones last', '50')
    .option(...asJson)
    .action(async (options) => (await import('./webhooks.ts')).listEndpointsCommand(options));
  webhooks
    .command('replay <deliveryIds...>')
    .description('try deliveries once more, whatever became of them')
    .action(async (ids) => (await import('./webhooks.ts')).replayDeliveriesCommand(ids));
  webhooks
    .command('recover <endpointId>')
    .description('try again all that failed at an endpoint; prints the operation')
    .requiredOption(...sinceOption)
    .option(...untilOption)
    .action(async (id, options) => (await import('./webhooks.ts')).replayCommand('recover', id, options));
  webhooks
    .command('replay-all <endpointId>')
    .description('deliver all events to an endpoint once more, delivered or not; prints the operation')
    .requiredOption(...sinceOption)
    .option(...untilOption)
    .option('--types <types>', 'comma-separated, wildcards such as message.* too; default: what the endpoint listens to')
    .action(async (id, options) => (await import('./webhooks.ts')).replayCommand('replay', id, options));
  webhooks
    .command('cancel <endpointId>')
    .description('cancel what is still to be delivered to an endpoint; prints the operation')
    .option(...sinceOption)
    .option(...untilOption)
    .action(async (id, options) => (await import('./webhooks.ts')).replayCommand('cancel', id, options));

  webhooks
    .command('listen')
    .description('receive the webhooks of an organization on this machine, for as long as it runs, and show each')
    .option('--forward-to <url>', 'pass each on to this server, whose answer is the answer; 8080 is http://127.0.0.1:8080/')
    .option('--events <types>', 'comma-separated; default: all')
    .option('--body', 'show the body of each')
    .option('--json', 'a line of JSON for each, with headers and body')
    .option('--timeout <seconds>', 'longest for an answer of the server it is passed on to; Kanal itself waits 15', '14')
    .option('--url <url>', 'address of Kanal; default: KANAL_URL, else what `npm start` runs')
    .option('--api-key <key>', 'default: KANAL_API_KEY, which other users of this machine cannot see')
    .option('--public-url <url>', 'where Kanal reaches this command, when it runs on another machine: the address of a tunnel')
    .option('--port <port>', 'port on this machine; default: any')
    .action(async (options) => (await import('./listen.ts')).listen(options));

  const onboarding = program.command('onboarding').description('numbers on their way to a channel');
  onboarding
    .command('list')
    .description('list the newest 50 that are not completed, of all organizations, with why a step failed')
    .option(...asJson)
    .action(async (options) => (await import('./onboarding.ts')).listOnboardingsCommand(options));
  onboarding
    .command('show <ids...>')
    .description('say how far each is')
    .action(async (ids) => (await import('./onboarding.ts')).showOnboardingsCommand(ids));

  const operations = program.command('operations').description('replays, imports and exports at work');
  operations
    .command('list <organizationId>')
    .description('list the newest 50 of an organization')
    .option(...asJson)
    .action(async (id, options) => (await import('./operations.ts')).listOperationsCommand(id, options));
  operations
    .command('show <ids...>')
    .description('say how far each is')
    .action(async (ids) => (await import('./operations.ts')).showOperationsCommand(ids));
  for (const [name, description] of [
    ['cancel', 'call off replays, imports or exports; what is done stays done'],
    ['pause', 'stop replays until they are resumed'],
    ['resume', 'let paused replays go on where they stopped'],
  ] as const)
    operations
      .command(`${name} <ids...>`)
      .description(description)
      .action(async (ids) => (await import('./operations.ts')).controlOperationsCommand(name, ids));

  return program;
}
