import { describe, expect, it } from '@jest/globals';
import { readInferenceBody, rewriteInferenceBody } from './inference-body.js';

function rewritten(text: string, servedModel: string | null, streams = true): string {
  return rewriteInferenceBody(readInferenceBody(Buffer.from(text), streams), servedModel).toString('utf8');
}

describe('an inference body', () => {
  it('is the same buffer when nothing has to differ', () => {
    const bytes = Buffer.from('{"model":"m"}');
    const body = readInferenceBody(bytes, true);
    expect(rewriteInferenceBody(body, 'm')).toBe(bytes);
    expect(rewriteInferenceBody(body, null)).toBe(bytes);
  });

  it.each([
    ['{"model":"m","stream":false}', '{"model":"s","stream":false}'],
    ['{"model" :\t"m" }', '{"model" :\t"s" }'],
    ['{"stream":true,"model":"m"}', '{"stream":true,"stream_options":{"include_usage":true},"model":"s"}'],
    [
      '{"model":"m","stream":true,"stream_options":null}',
      '{"model":"s","stream":true,"stream_options":{"include_usage":true}}',
    ],
    [
      '{"model":"m","stream":true,"stream_options":{ }}',
      '{"model":"s","stream":true,"stream_options":{"include_usage":true }}',
    ],
    [
      '{"stream_options":{"x":1},"model":"m","stream":true}',
      '{"stream_options":{"include_usage":true,"x":1},"model":"s","stream":true}',
    ],
    [
      '{"model":"m","stream":true,"stream_options":{"include_usage":false}}',
      '{"model":"s","stream":true,"stream_options":{"include_usage":true}}',
    ],
    [
      '{"model":"m","stream":true,"stream_options":{"include_usage":true}}',
      '{"model":"s","stream":true,"stream_options":{"include_usage":true}}',
    ],
    [
      '{"model":"m","stream":true,"stream_options":{"continuous_usage_stats":true,"include_usage":false}}',
      '{"model":"s","stream":true,"stream_options":{"continuous_usage_stats":false,"include_usage":true}}',
    ],
    [
      '{"model":"m","stream":true,"stream_options":{"include_usage":null,"continuous_usage_stats":false}}',
      '{"model":"s","stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":false}}',
    ],
    [
      '{"model":"m","stream":true,"stream_options":{"continuous_usage_stats":true}}',
      '{"model":"s","stream":true,"stream_options":{"continuous_usage_stats":true}}',
    ],
    ['{"model":"m","stream":true,"stream_options":[]}', '{"model":"s","stream":true,"stream_options":[]}'],
    ['{"model":"m","stream":true,"stream_options":7}', '{"model":"s","stream":true,"stream_options":7}'],
    ['{"model":"m","stream":"true"}', '{"model":"s","stream":"true"}'],
  ])('%s becomes %s', (sent, expected) => {
    expect(rewritten(sent, 's')).toBe(expected);
  });

  it('of an endpoint that does not stream is never asked for usage', () => {
    expect(rewritten('{"model":"m","stream":true}', 'm', false)).toBe('{"model":"m","stream":true}');
  });

  it('may name its model in escapes and in any script', () => {
    expect(readInferenceBody(Buffer.from('{"model":"\\uD55C국\\/🙂"}'), true).model).toBe('한국/🙂');
    expect(rewritten('{"model":"m"}', '한"국')).toBe('{"model":"한\\"국"}');
  });
});
