import { expectAnswer, expectMatch, expectStatus, insist, matching } from '../../checking/expect.js';
import { at, listAt, put, textAt } from '../../checking/json.js';
import { loadVectors } from '../../checking/vectors.js';
import { answers } from '../../mutation/mutation.js';
import type { CoordinatorBench } from '../coordinator-bench.js';
import type { CoordinatorCheck } from '../coordinator-check.js';
import { CREATE, named } from '../endpoint-item.js';
import { errorVector } from '../error-vectors.js';

/** What depends on which workers there are: one at a time, and on nobody else's worker. */
export const PICKING_CHECKS: readonly CoordinatorCheck[] = [
  {
    id: 'picking.none',
    section: '2.3',
    phase: 'alone',
    title: 'answers 503 worker-not-available when there is no worker',
    needs: ['bus'],
    run: async (bench) => {
      const item = bench.item({ serviceName: 'nobody-carries-this' });
      const answer = await bench.call('POST', '/v2/endpoints/bulk', { endpoints: [item] });
      bench.skipIfPlaced(answer);
      expectAnswer(answer, 503, errorVector('no-worker-available'));
    },
    mutation: answers('answers 404', CREATE, (exchange) => {
      if (named('nobody-carries-this')(exchange)) exchange.status = 404;
    }),
  },
  {
    id: 'picking.wildcard-first',
    section: '2.3',
    phase: 'alone',
    title: 'prefers WILDCARD to PORT',
    needs: ['bus'],
    run: async (bench) => {
      await bench.worker('port');
      const wildcard = await bench.worker('wildcard');
      const { url } = await bench.placed({ serviceName: 'first' });
      insist(url.includes(wildcard.domain), `it is placed at ${url}`);
    },
    mutation: answers('prefers ports', CREATE, ({ body }) => {
      if (textAt(body, 'endpoints.0.url').includes('//first.'))
        put(body, 'endpoints.0.url', 'http://x-0.conformance.test:10205/');
    }),
  },
  {
    id: 'picking.fewest-circuits',
    section: '2.3',
    phase: 'alone',
    title: 'picks the WILDCARD worker with the fewest circuits',
    needs: ['bus'],
    run: async (bench) => {
      const workers = [await bench.worker('wildcard'), await bench.worker('wildcard')];
      for (let times = 0; times < 4; times += 1) await bench.placed({ serviceName: `even-${times}` });
      const counts = await Promise.all(workers.map(async (worker) => (await bench.circuits(worker)).length));
      insist(counts.join() === '2,2', `four endpoints are spread ${counts.join(' : ')}`);
    },
    mutation: answers('hides circuits', 'GET /api/worker/:id/circuits', ({ body }) => {
      if (textAt(body, 'circuits.0.app').startsWith('even-')) listAt(body, 'circuits').pop();
    }),
  },
  {
    id: 'picking.exhausted',
    section: '2.3',
    phase: 'alone',
    title:
      'fills a range with distinct ports, then answers 503, and keeps nothing of a call that does not fit',
    needs: ['bus'],
    run: fillRange,
    mutation: answers('gives a port twice', CREATE, (exchange) => {
      if (named('filler')(exchange)) put(exchange.body, 'endpoints.0.url', 'http://x.test:10205/');
    }),
  },
  {
    id: 'picking.departed',
    section: '6.5',
    phase: 'alone',
    title: 'places nothing on a worker that left',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      worker.deregistered = true;
      await bench.call('DELETE', `/api/worker/${worker.id}`);
      const item = bench.item({ serviceName: 'too-late' });
      const answer = await bench.call('POST', '/v2/endpoints/bulk', { endpoints: [item] });
      insist(!textAt(answer.json, 'endpoints.0.url').includes(worker.domain), 'it is placed there');
      bench.skipIfPlaced(answer);
      expectStatus(answer, 503);
    },
    mutation: answers('takes it all the same', CREATE, (exchange) => {
      if (named('too-late')(exchange)) exchange.status = 504;
    }),
  },
  {
    id: 'picking.foreign-url',
    section: '2.3',
    phase: 'alone',
    title: 'picks as usual when no worker matches existing_url',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      const { url } = await bench.placed({
        existingUrl: 'http://moved.elsewhere.test',
        serviceName: 'homeless',
      });
      insist(url.includes(worker.domain), `it is placed at ${url}`);
    },
    mutation: answers('keeps the URL', CREATE, (exchange) => {
      if (named('homeless')(exchange)) put(exchange.body, 'endpoints.0.url', 'http://moved.elsewhere.test/');
    }),
  },
  {
    id: 'picking.protocol',
    section: '2.3',
    phase: 'alone',
    title: 'never places inference on a worker that accepts only interactive traffic',
    needs: ['bus'],
    run: async (bench) => {
      await bench.worker('interactive-port');
      const item = bench.item({ serviceName: 'not-here' });
      const answer = await bench.call('POST', '/v2/endpoints/bulk', { endpoints: [item] });
      bench.skipIfPlaced(answer);
      expectStatus(answer, 503);
    },
    mutation: answers('does not look', CREATE, (exchange) => {
      if (named('not-here')(exchange)) exchange.status = 500;
    }),
  },
  {
    id: 'subdomains.generator',
    section: '2.3',
    phase: 'alone',
    title: 'makes the label of every service name as the example file says',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      for (const example of listAt(loadVectors('subdomain'), 'exact')) {
        const { id, url } = await bench.placed({ serviceName: textAt(example, 'preferred') });
        const wanted = `https://${textAt(example, 'result')}${worker.domain}`;
        insist(url.startsWith(wanted), `${textAt(example, 'preferred')}: ${wanted} expected, got ${url}`);
        await bench.call('DELETE', `/v2/endpoints/${id}`);
      }
    },
    mutation: answers('knows no punycode', CREATE, (exchange) => {
      if (named('é')(exchange)) put(exchange.body, 'endpoints.0.url', 'https://e.test/');
    }),
  },
  {
    id: 'subdomains.nothing-left',
    section: '2.3',
    phase: 'alone',
    title: 'makes up a label for a name without usable characters',
    needs: ['bus'],
    run: async (bench) => {
      await bench.worker('wildcard');
      const { url } = await bench.placed({ serviceName: '.' });
      expectMatch(url, matching(/^https:\/\/app-[0-9a-f]{8}\./), 'the URL');
    },
    mutation: answers('makes up another', CREATE, (exchange) => {
      if (named('.')(exchange)) put(exchange.body, 'endpoints.0.url', 'https://noname.test/');
    }),
  },
];

async function fillRange(bench: CoordinatorBench): Promise<void> {
  const worker = await bench.worker('port');
  const urls = new Set<string>();
  for (let times = 0; times < 2; times += 1) urls.add((await bench.placed({ serviceName: 'filler' })).url);
  const pair = [0, 1].map(() => bench.item({ serviceName: 'pair' }));
  const tooMany = await bench.call('POST', '/v2/endpoints/bulk', { endpoints: pair });
  bench.skipIfPlaced(tooMany);
  expectAnswer(tooMany, 503, errorVector('no-worker-available'));
  urls.add((await bench.placed({ serviceName: 'filler' })).url);
  insist(urls.size >= 3, `three endpoints share ${urls.size} URLs`);
  const circuits = await bench.circuits(worker);
  insist(circuits.length === 3, `three slots carry ${circuits.length} circuits`);
  insist(
    circuits.every((circuit) => typeof at(circuit, 'port') === 'number'),
    'no port',
  );
}
