import { isUtf8 } from 'node:buffer';
import { AppError } from '@penstock/protocol';
import { jsonKey, scanJsonObject, type JsonMember } from '../../proxy/index.js';

const KEYS = [jsonKey('model'), jsonKey('stream'), jsonKey('stream_options')];
const USAGE_KEYS = [jsonKey('include_usage'), jsonKey('continuous_usage_stats')];
const INCLUDE_USAGE = '{"include_usage":true}';

/** A piece of a body and what takes its place. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** An inference request's body: the bytes as sent, and where in them the few things are that we read or replace. */
export interface InferenceBody {
  readonly bytes: Buffer;
  /** Null when it names none, or not by a string. */
  readonly model: string | null;
  readonly modelValue: JsonMember | null;
  readonly stream: boolean;
  /** What makes the replica report usage at the end of a stream whose caller did not ask for it; often nothing. */
  readonly usageEdits: readonly Edit[];
}

/**
 * Reads what routing needs from a body and checks that all of it is JSON; nothing else in it is interpreted.
 * @param streams - whether the endpoint knows `stream_options`
 * @throws AppError `invalid_json`, `invalid_request`
 */
export function readInferenceBody(bytes: Buffer, streams: boolean): InferenceBody {
  if (bytes.length === 0)
    throw new AppError('invalid_json', 'The request body is empty; a JSON object is needed.');
  const scan = scanJsonObject(bytes, KEYS);
  if (!scan.ok) {
    throw new AppError(
      'invalid_json',
      `The request body is not a JSON object: ${scan.problem}, at byte ${scan.at}.`,
    );
  }
  if (!isUtf8(bytes)) throw new AppError('invalid_json', 'The request body is not valid UTF-8.');
  if (scan.duplicate !== null) throw duplicated(scan.duplicate);
  const [model, stream, options] = scan.members;
  const isStream = streams && stream !== undefined && text(bytes, stream) === 'true';
  return {
    bytes,
    model: readModel(bytes, model),
    modelValue: model ?? null,
    stream: isStream,
    usageEdits: isStream ? usageEdits(bytes, stream, options) : NO_EDITS,
  };
}

/**
 * The body for one replica: the caller's bytes, with the model's name replaced where the replica knows it by another
 * and usage asked for where it has to be. Without a difference it is the same buffer.
 */
export function rewriteInferenceBody(body: InferenceBody, servedModel: string | null): Buffer {
  const { bytes, model, modelValue, usageEdits } = body;
  const edits = [...usageEdits];
  if (servedModel !== null && servedModel !== model) edits.push(modelEdit(bytes, modelValue, servedModel));
  return edits.length === 0 ? bytes : splice(bytes, edits);
}

function splice(bytes: Buffer, edits: Edit[]): Buffer {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const edit of edits.sort((a, b) => a.start - b.start)) {
    pieces.push(bytes.subarray(at, edit.start), Buffer.from(edit.text));
    at = edit.end;
  }
  pieces.push(bytes.subarray(at));
  return Buffer.concat(pieces);
}

/** None when the caller asked for usage, or sent something the replica has to judge. */
function usageEdits(bytes: Buffer, stream: JsonMember, options: JsonMember | undefined): readonly Edit[] {
  if (options === undefined) {
    return [{ start: stream.valueEnd, end: stream.valueEnd, text: `,"stream_options":${INCLUDE_USAGE}` }];
  }
  const value = bytes.subarray(options.valueStart, options.valueEnd);
  if (value.equals(NULL)) return [{ start: options.valueStart, end: options.valueEnd, text: INCLUDE_USAGE }];
  const scan = scanJsonObject(value, USAGE_KEYS);
  if (!scan.ok) return NO_EDITS;
  const [asked, continuous] = scan.members;
  const isContinuous = continuous !== undefined && text(value, continuous) === 'true';
  // Servers that know usage on every chunk differ in what it means alone, so it is left to them.
  if (asked === undefined) return isContinuous ? NO_EDITS : [insertion(value, options.valueStart)];
  const word = text(value, asked);
  if (word !== 'false' && word !== 'null') return NO_EDITS;
  const edits = [replacement(asked, options.valueStart, 'true')];
  // It has no effect without the other one, and would have one now: on every chunk, where it cannot be told apart.
  if (isContinuous) edits.push(replacement(continuous, options.valueStart, 'false'));
  return edits;
}

const NO_EDITS: readonly Edit[] = [];
const NULL = Buffer.from('null');

function replacement(member: JsonMember, offset: number, word: string): Edit {
  return { start: offset + member.valueStart, end: offset + member.valueEnd, text: word };
}

/** Puts the field first in an options object that lacks it. */
function insertion(options: Buffer, offset: number): Edit {
  const isEmpty = options.toString('latin1', 1, options.length - 1).trim() === '';
  const at = offset + 1;
  return { start: at, end: at, text: `"include_usage":true${isEmpty ? '' : ','}` };
}

function modelEdit(bytes: Buffer, member: JsonMember | null, servedModel: string): Edit {
  const text = JSON.stringify(servedModel);
  if (member !== null) return { start: member.valueStart, end: member.valueEnd, text };
  const at = bytes.indexOf('{') + 1;
  const isEmpty = /^\s*\}/.test(bytes.toString('latin1', at));
  return { start: at, end: at, text: `"model":${text}${isEmpty ? '' : ','}` };
}

function readModel(bytes: Buffer, member: JsonMember | undefined): string | null {
  if (member === undefined || bytes[member.valueStart] !== 0x22) return null;
  return JSON.parse(text(bytes, member)) as string;
}

/**
 * The model a body asks for, where the name decides who serves it.
 * @throws AppError `missing_model`, `invalid_request`
 */
export function namedModel({ model, modelValue }: InferenceBody): string {
  if (modelValue === null) {
    throw new AppError(
      'missing_model',
      'The request names no model. Set `model`; GET /v1/models lists yours.',
      { param: 'model' },
    );
  }
  if (model === null) throw new AppError('invalid_request', '`model` must be a string.', { param: 'model' });
  if (model !== '') return model;
  throw new AppError('missing_model', '`model` must not be empty. GET /v1/models lists yours.', {
    param: 'model',
  });
}

/** Readers disagree on which of two equal keys counts, so what we authorise might not be what a replica runs. */
function duplicated(name: string): AppError {
  return new AppError('invalid_request', `\`${name}\` appears twice in the request body.`, { param: name });
}

function text(bytes: Buffer, member: JsonMember): string {
  return bytes.toString('utf8', member.valueStart, member.valueEnd);
}
