import { describe, expect, it } from '@jest/globals';

import { parseReplicas, ReplicaConfigError } from './replica-config.js';

describe('parseReplicas', () => {
  it('reads the object form and the bare list alike', () => {
    const list = [{ model: 'm', port: 10500, admin_port: 10550, ttft_ms: 0 }];
    expect(parseReplicas(JSON.stringify({ replicas: list }))).toEqual(parseReplicas(JSON.stringify(list)));
    expect(parseReplicas(JSON.stringify(list))[0]).toMatchObject({
      port: 10500,
      adminPort: 10550,
      ttftMs: 0,
    });
  });

  it('reads YAML', () => {
    expect(parseReplicas('replicas:\n  - model: m\n    port: 10500\n')[0]).toMatchObject({
      model: 'm',
      port: 10500,
    });
  });

  it('reports every problem at once, each with its place', () => {
    const text = JSON.stringify([{ model: '', port: 70_000, ttftms: 1 }]);
    const problems = problemsOf(text);
    expect(problems).toHaveLength(3);
    expect(problems.join('\n')).toContain('replicas.0.port');
    expect(problems.join('\n')).toContain('ttftms');
  });

  it('says when the text is neither JSON nor YAML', () => {
    expect(problemsOf('{')[0]).toMatch(/neither JSON nor YAML/);
  });
});

function problemsOf(text: string): readonly string[] {
  try {
    parseReplicas(text);
  } catch (error) {
    if (error instanceof ReplicaConfigError) return error.problems;
  }
  throw new Error('expected a configuration error');
}
