#!lua
-- Appends chunk `n` of a stream, once, and queues the stream if it is not queued yet.
-- KEYS: queue, state, in. ARGV: the stream's name, n, its provider, the chunk's field, the chunk.
local state = redis.call('HMGET', KEYS[2], 'have', 'queued', 'end')
if state[3] then
  return 'ended'
end
local have, n = tonumber(state[1] or '0'), tonumber(ARGV[2])
if n <= have then
  return 'had' -- The producer did not hear the answer the first time.
end
if n ~= have + 1 then
  return 'gap'
end
redis.call('XADD', KEYS[3], ARGV[2] .. '-0', ARGV[4], ARGV[5])
redis.call('HSET', KEYS[2], 'have', ARGV[2])
if n == 1 then
  redis.call('HSET', KEYS[2], 'provider', ARGV[3])
end
if not state[2] then
  redis.call('HSET', KEYS[2], 'queued', redis.call('XADD', KEYS[1], '*', 'stream', ARGV[1]))
end
return 'new'
