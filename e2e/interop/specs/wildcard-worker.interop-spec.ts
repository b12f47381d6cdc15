import { describe, expect, it } from '@jest/globals';

import { CoordinatorClient } from '../support/coordinator-client.ts';
import { describeInference, type Ours } from '../support/inference-suite.ts';
import { describeInteractive } from '../support/interactive-suite.ts';
import { site } from '../support/site.ts';

const ours = (): Ours => ({ coordinator: site().wildcards, worker: site().wildcards.single });

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

  describe('serving inference', () => describeInference(ours));
  describe('carrying an interactive app', () => describeInteractive(ours));
});
