import { describe, expect, it } from '@jest/globals';

import { namesJson } from './names-json.js';

describe('namesJson', () => {
  it.each(['application/json', 'text/html, application/json', 'Application/JSON; charset=utf-8;q=0.5'])(
    'takes %j as a program',
    (accept) => {
      expect(namesJson(accept)).toBe(true);
    },
  );

  it.each([undefined, '', '*/*', 'application/*', 'text/html', 'application/problem+json'])(
    'takes %j as a browser',
    (accept) => {
      expect(namesJson(accept)).toBe(false);
    },
  );
});
