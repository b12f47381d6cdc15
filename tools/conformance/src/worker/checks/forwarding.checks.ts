import { expectMatch, expectStatus, insist, matching } from '../../checking/expect.js';
import { put, textAt } from '../../checking/json.js';
import { answers } from '../../mutation/mutation.js';
import { seenHeader } from '../worker-bench.js';
import { ADDRESSED, type WorkerCheck } from '../worker-check.js';

const common = { section: '5.6', modes: ADDRESSED } as const;

export const FORWARDING_CHECKS: readonly WorkerCheck[] = [
  {
    ...common,
    id: 'forwarding.request',
    title: 'passes method, path, query and body on as they are',
    run: async (bench) => {
      const { circuit } = await bench.serving();
      const target = '/forward/a%2Fb?x=1&y=%2F&x=2';
      const answer = await bench.request(circuit, 'PATCH', target, { raw: '{"a" : 1}' });
      expectStatus(answer, 200);
      expectMatch(answer.json, { method: 'PATCH', target, body: '{"a" : 1}' }, 'what the replica got');
    },
    mutation: answers('decodes the path', 'PATCH /forward/:rest', ({ body }) =>
      put(body, 'target', '/forward/a/b'),
    ),
  },
  {
    ...common,
    id: 'forwarding.large-body',
    title: 'passes a body of some size on whole',
    run: async (bench) => {
      const { circuit } = await bench.serving();
      const raw = 'x'.repeat(300_000);
      const { json } = await bench.request(circuit, 'POST', '/large', {
        raw,
        headers: { 'content-type': 'text/plain' },
      });
      insist(
        textAt(json, 'body') === raw,
        `${textAt(json, 'body').length} of ${raw.length} characters arrived`,
      );
    },
    mutation: answers('cuts it', 'POST /large', ({ body }) => put(body, 'body', 'x')),
  },
  {
    ...common,
    id: 'forwarding.host',
    title: 'passes Host and Authorization on unchanged',
    run: async (bench) => {
      const circuit = await bench.circuit({}, [await bench.replica()]);
      const authorization = `Bearer ${bench.token(circuit)}`;
      const answer = await bench.request(circuit, 'GET', '/host', { headers: { authorization } });
      const headers = { host: bench.hostOf(circuit), authorization };
      expectMatch(answer.json, { headers }, 'what the replica got');
    },
    mutation: answers('keeps the credential', 'GET /host', ({ body }) =>
      put(body, 'headers.authorization', ''),
    ),
  },
  {
    ...common,
    id: 'forwarding.x-forwarded',
    title: 'tells the replica client, host and scheme',
    run: async (bench) => {
      const { circuit } = await bench.serving();
      const answer = await bench.request(circuit, 'GET', '/x-forwarded');
      const headers = {
        'x-forwarded-for': matching(/127\.0\.0\.1|::1/),
        'x-forwarded-host': bench.hostOf(circuit),
        'x-forwarded-proto': 'http',
      };
      expectMatch(answer.json, { headers }, 'what the replica got');
    },
    mutation: answers('does not tell the client', 'GET /x-forwarded', ({ body }) =>
      put(body, 'headers.x-forwarded-for', ''),
    ),
  },
  {
    ...common,
    id: 'forwarding.forged-for',
    title: 'does not pass a forged client address on alone',
    run: async (bench) => {
      const { circuit } = await bench.serving();
      const answer = await bench.request(circuit, 'GET', '/forged', {
        headers: { 'x-forwarded-for': '9.9.9.9' },
      });
      const seen = seenHeader(answer, 'x-forwarded-for');
      insist(/127\.0\.0\.1|::1/.test(seen), `x-forwarded-for is ${seen}`);
    },
    mutation: answers('passes it on', 'GET /forged', ({ body }) =>
      put(body, 'headers.x-forwarded-for', '9.9.9.9'),
    ),
  },
  {
    ...common,
    id: 'forwarding.hop-by-hop',
    title: 'keeps the fields of the connection to itself',
    run: async (bench) => {
      const { circuit } = await bench.serving();
      const hops = { te: 'trailers', 'keep-alive': 'timeout=5', 'proxy-authorization': 'Basic x' };
      const answer = await bench.request(circuit, 'GET', '/hops', { headers: hops });
      for (const name of Object.keys(hops)) insist(seenHeader(answer, name) === '', `${name} is passed on`);
    },
    mutation: answers('passes one on', 'GET /hops', ({ body }) =>
      put(body, 'headers.proxy-authorization', 'Basic x'),
    ),
  },
  {
    ...common,
    id: 'forwarding.own-headers',
    title: 'passes headers of the client on',
    run: async (bench) => {
      const { circuit } = await bench.serving();
      const headers = { 'x-note': 'kept', cookie: 'a=1; b=2' };
      expectMatch(
        (await bench.request(circuit, 'GET', '/own', { headers })).json,
        { headers },
        'what the replica got',
      );
    },
    mutation: answers('drops cookies', 'GET /own', ({ body }) => put(body, 'headers.cookie', '')),
  },
  {
    ...common,
    id: 'forwarding.repeated-headers',
    title: 'passes repeated headers of an answer on one by one',
    run: async (bench) => {
      const { circuit } = await bench.serving();
      const { headers } = await bench.request(circuit, 'GET', '/cookies');
      insist(headers['set-cookie']?.length === 2, `Set-Cookie is ${JSON.stringify(headers['set-cookie'])}`);
    },
    mutation: answers('keeps the last', 'GET /cookies', ({ headers }) => {
      headers['set-cookie'] = 'b=2; Path=/';
    }),
  },
  {
    ...common,
    id: 'forwarding.redirect',
    title: 'passes a redirect on instead of following it',
    run: async (bench) => {
      const { circuit } = await bench.serving();
      const answer = await bench.request(circuit, 'GET', '/moved');
      expectStatus(answer, 302);
      insist(answer.headers.location === '/elsewhere', `Location is ${answer.headers.location ?? 'absent'}`);
    },
    mutation: answers('follows it', 'GET /moved', (exchange) => {
      exchange.status = 200;
    }),
  },
  {
    ...common,
    id: 'forwarding.cors',
    title: 'lets any origin read the answer',
    run: async (bench) => {
      const { circuit } = await bench.serving();
      const { headers } = await bench.request(circuit, 'GET', '/cors', {
        headers: { origin: 'https://a.example.com' },
      });
      insist(headers['access-control-allow-origin'] !== undefined, 'no origin is allowed');
    },
    mutation: answers('lets none', 'GET /cors', ({ headers }) => {
      delete headers['access-control-allow-origin'];
    }),
  },
];
