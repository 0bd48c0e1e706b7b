#!lua
-- Begins a turn: its reservation, what it begins with, and its lease. 0 if another turn has the conversation.
-- KEYS: conversation, turn, turns, told, befores, messages, inputs, live.
-- ARGV: token, first, last, events, before, begun, milliseconds of the lease, cut, from, context, session, count.
local conversation, turn, turns, told, befores = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local messages, inputs, live = KEYS[6], KEYS[7], KEYS[8]
local token, first, last, from = ARGV[1], ARGV[2], ARGV[3], ARGV[9]
local running = redis.call('HGET', turn, 'token')
if running then
  return running == token and 1 or 0 -- The server did not hear the answer the first time.
end
if tonumber(redis.call('HGET', conversation, 'last') or '0') >= tonumber(first) then
  return 0
end
if from ~= '' then
  for _, old in ipairs(redis.call('ZRANGE', turns, 0, -1)) do
    if tonumber(old) >= tonumber(from) then
      redis.call('ZREM', turns, old)
      redis.call('HDEL', told, old)
      redis.call('HDEL', befores, old)
    end
  end
  if ARGV[12] == '0' then
    redis.call('DEL', messages)
  else
    redis.call('LTRIM', messages, 0, ARGV[12] - 1)
  end
  redis.call('HSET', conversation, 'context', ARGV[10], 'session', ARGV[11])
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', conversation, 'last', last)
redis.call('ZADD', turns, last, first)
redis.call('HSET', told, first, ARGV[4])
redis.call('HSET', befores, first, ARGV[5])
redis.call('DEL', live, inputs)
redis.call('HSET', turn, 'token', token, 'epoch', 1, 'first', first, 'begun', ARGV[6], 'before', ARGV[5], 'at', now,
  'lease', now + ARGV[7])
if ARGV[8] ~= '' then
  redis.call('XADD', live, first .. '-0', 'event', ARGV[8])
end
return 1
