import { describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import type { StackOptions } from '../plan/stack-options.js';
import { refuseOtherMode } from '../state/refuse-other-mode.js';
import type { StackState } from '../state/stack-state.js';
import { addStackOptions, stackOptions, type UpFlags } from './up-options.js';

function parse(...args: string[]): StackOptions {
  const command = addStackOptions(new Command('up'))
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  return stackOptions(command.parse(args, { from: 'user' }).opts<UpFlags>());
}

describe('the options of up', () => {
  it('describe a router stack without internal listeners unless told otherwise', () => {
    expect(parse()).toMatchObject({ mode: 'router', wildcardDomain: null, internal: false });
  });

  it('have a domain in wildcard mode, with its leading dot and in lower case', () => {
    expect(parse('--mode', 'wildcard').wildcardDomain).toBe('.models.localhost');
    const named = parse('--mode', 'wildcard', '--wildcard-domain', 'Models.Example.com');
    expect(named.wildcardDomain).toBe('.models.example.com');
  });

  it.each(['a b', '.', '-a.example', 'a..b', 'a_b.example'])('refuse the domain %j', (domain) => {
    expect(() => parse('--mode', 'wildcard', '--wildcard-domain', domain)).toThrow(/must be a domain/);
  });

  it('put the internal listeners where they are told', () => {
    const { internal, chosenPorts } = parse('--internal', '--router-internal-port', '12345');
    expect({ internal, chosenPorts }).toEqual({ internal: true, chosenPorts: { 'router-internal': 12345 } });
  });
});

describe('a data directory', () => {
  const madeWith = (mode: 'router' | 'wildcard') => ({ options: { mode } }) as Pick<StackState, 'options'>;

  it('is refused in another mode than the one it was made with', () => {
    const wanted = { mode: 'router', dataDir: '/data' } as const;
    expect(() => refuseOtherMode(wanted, madeWith('wildcard'))).toThrow(/--mode wildcard: start it so/);
    expect(() => refuseOtherMode(wanted, madeWith('router'))).not.toThrow();
    expect(() => refuseOtherMode(wanted, null)).not.toThrow();
  });
});
