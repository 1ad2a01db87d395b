// Prints the types that openapi-typescript makes of a document. It needs the compiler's old programming interface, which TypeScript 7
// does not have: @ts-morph/common brings it along, without a `tsc` of its own.
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const oldCompiler = '@ts-morph/common/dist/typescript.js';
registerHooks({ resolve: (name, context, next) => next(name === 'typescript' ? oldCompiler : name, context) });

const { default: generate, astToString } = await import('openapi-typescript');
process.stdout.write(astToString(await generate(pathToFileURL(process.argv[2]!))));
