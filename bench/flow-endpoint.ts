import { createServer } from 'node:http';

/** A customer's endpoint of a flow: reads what it is asked, and answers the same screen. */
const answer = JSON.stringify({ screen: 'NEXT', data: { days: ['2026-12-01', '2026-12-02', '2026-12-03'] } });

createServer((request, response) => {
  request.on('data', () => undefined);
  request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(answer));
}).listen(Number(process.env.PORT), '127.0.0.1');
