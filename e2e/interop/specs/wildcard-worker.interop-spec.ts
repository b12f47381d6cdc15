import { describe, expect, it } from '@jest/globals';

import { CoordinatorClient } from '../support/coordinator-client.ts';
import { describeInference } from '../support/inference-suite.ts';
import { describeInteractive } from '../support/interactive-suite.ts';
import { describeLife } from '../support/life-suite.ts';
import { site } from '../support/site.ts';

const pair = () => ({ coordinator: site().wildcards, worker: site().wildcards.single });

describe('a real wildcard worker at our coordinator', () => {
  it('is registered without a bound to its slots', async () => {
    const worker = await new CoordinatorClient(site().wildcards).worker('wildcard');
    expect(worker).toMatchObject({
      frontend_mode: 'wildcard',
      protocol: 'http',
      available_slots: -1,
      nodes: 1,
    });
  });

  describe('serving inference', () => describeInference(pair, 400));
  describe('carrying an interactive app', () => describeInteractive(pair));
  describe('silent, back and gone', () => describeLife(pair));
});
