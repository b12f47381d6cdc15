/**
 * The server's own clock stamps every sighting, so that coordinators whose clocks differ agree.
 * KEYS: nodes (sorted set, score last_seen), node-meta (hash of JSON), last_seen (hash per authority).
 */
const PRUNE = `
  local gone = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. string.format('%.3f', now - ttl))
  for _, id in ipairs(gone) do
    redis.call('ZREM', KEYS[1], id)
    redis.call('HDEL', KEYS[2], id)
  end`;

const NOW = `
  local t = redis.call('TIME')
  local now = tonumber(t[1]) + tonumber(t[2]) / 1000000`;

/** ARGV: authority, ttl seconds, key lifetime seconds, node id or '', JSON of what the node told. */
export const BEAT_SCRIPT = `${NOW}
  local ttl = tonumber(ARGV[2])
  redis.call('HSET', KEYS[3], ARGV[1], t[1])
  redis.call('EXPIRE', KEYS[3], ARGV[3])
  if ARGV[4] == '' then return 1 end
  local old = redis.call('HGET', KEYS[2], ARGV[4])
  local meta = old and cjson.decode(old) or {}
  for field, value in pairs(cjson.decode(ARGV[5])) do meta[field] = value end
  if not meta.registered_at then meta.registered_at = string.format('%.3f', now) end
  redis.call('HSET', KEYS[2], ARGV[4], cjson.encode(meta))
  redis.call('ZADD', KEYS[1], string.format('%.3f', now), ARGV[4])
  ${PRUNE}
  redis.call('EXPIRE', KEYS[1], ARGV[3])
  redis.call('EXPIRE', KEYS[2], ARGV[3])
  return 1`;

/** ARGV: node id. */
export const FORGET_SCRIPT = `
  redis.call('ZREM', KEYS[1], ARGV[1])
  redis.call('HDEL', KEYS[2], ARGV[1])
  return 1`;

/** ARGV: node id, revision. A late ack must not lower what a newer one said. */
export const ACKNOWLEDGE_SCRIPT = `
  local old = redis.call('HGET', KEYS[2], ARGV[1])
  if not old then return 0 end
  local meta = cjson.decode(old)
  local known, told = tonumber(meta.revision or ''), tonumber(ARGV[2])
  if known and told and known >= told then return 0 end
  meta.revision = ARGV[2]
  redis.call('HSET', KEYS[2], ARGV[1], cjson.encode(meta))
  return 1`;

/** ARGV: authority. Answers [now, last_seen or '', [node, score, …], [node, JSON, …]], all as strings. */
export const VIEW_SCRIPT = `${NOW}
  local seen = redis.call('HGET', KEYS[3], ARGV[1])
  local scores = {}
  local found = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
  for index, entry in ipairs(found) do scores[index] = entry end
  return { string.format('%.3f', now), seen or '', scores, redis.call('HGETALL', KEYS[2]) }`;
